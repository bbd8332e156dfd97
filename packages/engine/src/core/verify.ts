/**
 * The one verifier: proves a view before it may be sent. It speaks of the engine's own output only, and fails closed; what the caller
 * got wrong was repaired before.
 */
import { boundFailures } from './binding.ts';
import { ContextError } from './errors.ts';
import type { Edit, NoteEdit, Pin, RangeEdit } from './edit.ts';
import { effectiveEntry } from './effective.ts';
import type { History } from './history.ts';
import { stalePointers } from './layers/repoint.ts';
import { hidesNewestUser, isProved } from './ledger.ts';
import { createPairing } from './pairing.ts';
import { shownPins, type View } from './view.ts';

function editsOf(view: View): readonly Edit[] {
  const edits: Edit[] = [];
  for (const { range, patches, notes } of view.entries) {
    if (range !== undefined) edits.push(range);
    if (patches !== undefined) edits.push(...patches.values());
    if (notes !== undefined) edits.push(...notes);
  }
  return edits;
}

function protocolFailures(view: View, history: History): string[] {
  const pairing = createPairing(history.idScope);
  view.entries.forEach((entry, index) => pairing.append(effectiveEntry(entry, history), index));
  return pairing.faults().map((fault) => `${fault.kind} in view entry ${fault.at}, part ${fault.part}`);
}

function partitionFailures(view: View, history: History): string[] {
  const failures: string[] = [];
  let next = 0;
  for (const entry of view.entries) {
    const end = entry.range === undefined ? entry.from + 1 : entry.range.to;
    if (entry.from !== next || entry.to !== end)
      failures.push(`view entry [${entry.from}, ${entry.to}) stands where ${next} is due`);
    next = entry.to;
  }
  if (next !== history.length) failures.push(`the view covers ${next} of ${history.length} entries`);
  return failures;
}

/** What only a repair may do: the caller's own faults are its reason. */
function rangeFailures(edit: RangeEdit, history: History): string[] {
  const failures: string[] = [];
  if (!(history.canCut(edit.from) && history.canCut(edit.to))) failures.push('it parts a round');
  for (const at of history.barriersIn(edit.from, edit.to)) failures.push(`it covers entry ${at}, which has to stay`);
  return failures;
}

/** The model and the host said what they said; only the user's side takes a note. */
function noteFailures({ at, text }: NoteEdit, history: History): string[] {
  const { origin } = history.at(at);
  return [
    ...(origin === 'user' ? [] : [`it adds to a message of the ${origin}`]),
    ...(text.trim() === '' ? ['its text is empty'] : []),
  ];
}

function placeOf(edit: Edit): string {
  if (edit.kind === 'range') return `[${edit.from}, ${edit.to})`;
  return edit.kind === 'part' ? `${edit.at}.${edit.part}` : `${edit.at}`;
}

function editFailures(edit: Edit, history: History): string[] {
  const name = `${edit.layer} edit at ${placeOf(edit)}`;
  const isRepair = edit.layer === 'repair';
  // A note takes nothing out of view.
  const needsAddress = !isRepair && edit.kind !== 'note';
  const failures = [
    ...(isProved(edit, history) ? [] : ['its proof does not match the history']),
    ...(hidesNewestUser(edit, history) ? ['it hides the newest user message'] : []),
    ...(!needsAddress || edit.addresses.length > 0 ? [] : ['it names no address']),
    ...(edit.kind === 'note' ? noteFailures(edit, history) : []),
    ...(isRepair || edit.kind !== 'range' ? [] : rangeFailures(edit, history)),
  ];
  return failures.map((failure) => `${name}: ${failure}`);
}

/** Everything that is wrong with `view`; empty when it may be sent. */
export function verifyView(view: View, history: History): readonly string[] {
  return [
    ...partitionFailures(view, history),
    ...editsOf(view).flatMap((edit) => editFailures(edit, history)),
    ...protocolFailures(view, history),
  ];
}

/** Pins of `pins` the view does not show. */
export function pinFailures(view: View, pins: readonly Pin[]): readonly string[] {
  if (pins.length === 0) return [];
  const shown = new Set(shownPins(view));
  return pins.flatMap(({ id }) => (shown.has(id) ? [] : [`pin ${id} is not in view`]));
}

/** What a step asks of its view beyond the invariants. */
export interface Expected {
  /** Pins it has to show. */
  readonly pins?: readonly Pin[];
  /** New edits that may not change what reasoning in view is bound to. */
  readonly bound?: readonly Edit[];
  /** True where no pointer may point at what is not in view: of what is about to be sent, as against any subset of a ledger. */
  readonly hasPointers?: boolean;
}

/** Throws `INVARIANT_BROKEN` with every failure. */
export function assertView(
  view: View,
  history: History,
  { pins = [], bound = [], hasPointers = false }: Expected = {},
): void {
  const failures = [
    ...verifyView(view, history),
    ...pinFailures(view, pins),
    ...boundFailures(bound, view, history),
    ...(hasPointers ? stalePointers({ view }) : []).map(
      ({ at, part }) => `arrival edit at ${at}.${part}: it points at what is not in view`,
    ),
  ];
  if (failures.length === 0) return;
  throw new ContextError('INVARIANT_BROKEN', `the new view failed its proof and was not used: ${failures.join('; ')}`);
}
