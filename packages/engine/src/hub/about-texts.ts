/** What is known of the texts a step puts away: the tool that said them and the file they are about. */
import type { Address, TextAbout } from '../core/archive.ts';
import { callOf } from '../core/calls.ts';
import type { Edit } from '../core/edit.ts';
import type { History } from '../core/history.ts';
import type { Lens } from '../core/lens.ts';

interface Sources {
  readonly history: History;
  readonly lens: Lens;
}

/** By address, of the results that `edits` replace. */
export function aboutTexts(
  edits: readonly Edit[],
  { history, lens }: Sources,
): ReadonlyMap<Address, Pick<TextAbout, 'tool' | 'path'>> {
  const known = new Map<Address, Pick<TextAbout, 'tool' | 'path'>>();
  for (const edit of edits) {
    const call = edit.kind === 'part' ? callOf(history, { entry: edit.at, part: edit.part }, lens) : undefined;
    if (call === undefined) continue;
    const path = 'path' in call.fact ? call.fact.path : undefined;
    for (const address of edit.addresses) known.set(address, { tool: call.name, path });
  }
  return known;
}
