/**
 * Pointers into the view depend on what they point at. The step that takes it away turns each into the address of its own original: asked
 * whatever the policy, after everything else.
 */
import type { PartEdit } from '../edit.ts';
import { isVerbatim } from '../view.ts';
import { type LayerInput, NOTHING, type Proposal } from './layer.ts';
import { recallNote } from './marker.ts';

/** Pointers in view whose target is not there word for word any more. */
export function stalePointers({ view }: Pick<LayerInput, 'view'>): readonly PartEdit[] {
  const stale: PartEdit[] = [];
  for (const { patches } of view.entries) {
    if (patches === undefined) continue;
    for (const edit of patches.values())
      if (edit.pointsAt !== undefined && !isVerbatim(view, edit.pointsAt)) stale.push(edit);
  }
  return stale;
}

function addressed(edit: PartEdit): PartEdit {
  const { pointsAt: _, ...rest } = edit;
  const [address = ''] = edit.addresses;
  return {
    ...rest,
    layer: 'micro',
    text: `[Left out, ${recallNote(address)}]`,
    reason: 'what it pointed at has left the view',
  };
}

/** Edits that put an address in the place of every stale pointer. */
export function proposeRepoints(input: LayerInput): Proposal {
  const stale = stalePointers(input);
  return stale.length === 0 ? NOTHING : { edits: stale.map(addressed), kept: new Map() };
}
