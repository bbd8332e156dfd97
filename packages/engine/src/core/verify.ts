/**
 * The one verifier: proves a view before it may be sent. It speaks of the engine's own output only, and fails closed; what the caller
 * got wrong was repaired before.
 */
import { ContextError } from './errors.ts';
import type { Edit } from './edit.ts';
import { type Entry, isBarrier, type Part } from './entry.ts';
import type { History } from './history.ts';
import { hidesNewestUser, isProved } from './ledger.ts';
import { createPairing } from './pairing.ts';
import type { View, ViewEntry } from './view.ts';

function editsOf(view: View): readonly Edit[] {
  return view.entries.flatMap((entry): readonly Edit[] =>
    entry.range !== undefined ? [entry.range] : [...(entry.patches?.values() ?? [])],
  );
}

/** The parts the model is sent for one view entry. */
export function effectiveParts(entry: ViewEntry, history: History): readonly Part[] {
  if (entry.range !== undefined) {
    return entry.range.pieces.flatMap((piece): readonly Part[] => {
      if (typeof piece === 'string') return [{ kind: 'text', text: piece }];
      const part = history.at(piece.entry).parts[piece.part];
      return part === undefined ? [] : [part];
    });
  }
  return history.at(entry.from).parts.map((part, index) => {
    const patch = entry.patches?.get(index);
    if (patch === undefined) return part;
    if (patch.becomesText || part.kind !== 'result') return { kind: 'text', text: patch.text };
    return { ...part, text: patch.text, content: patch.text, mediaCount: 0 };
  });
}

function effectiveEntry(entry: ViewEntry, history: History): Entry {
  const source = history.at(entry.from);
  const origin = entry.range !== undefined ? 'user' : source.origin;
  return { ...source, origin, parts: effectiveParts(entry, history) };
}

function protocolFailures(view: View, history: History): string[] {
  const pairing = createPairing();
  view.entries.forEach((entry, index) => pairing.append(effectiveEntry(entry, history), index));
  return pairing.faults().map((fault) => `${fault.kind} in view entry ${fault.at}, part ${fault.part}`);
}

function partitionFailures(view: View, history: History): string[] {
  const failures: string[] = [];
  let next = 0;
  for (const entry of view.entries) {
    const end = entry.range === undefined ? entry.from + 1 : entry.range.to;
    if (entry.from !== next || entry.to !== end) failures.push(`view entry [${entry.from}, ${entry.to}) stands where ${next} is due`);
    next = entry.to;
  }
  if (next !== history.length) failures.push(`the view covers ${next} of ${history.length} entries`);
  return failures;
}

function editFailures(edit: Edit, history: History): string[] {
  const failures: string[] = [];
  const name = `${edit.layer} edit at ${edit.kind === 'range' ? `[${edit.from}, ${edit.to})` : `${edit.at}.${edit.part}`}`;
  if (!isProved(edit, history)) failures.push(`${name}: its proof does not match the history`);
  if (hidesNewestUser(edit, history)) failures.push(`${name}: it hides the newest user message`);
  if (edit.layer !== 'repair' && edit.addresses.length === 0) failures.push(`${name}: it names no address`);
  if (edit.kind === 'part') return failures;
  if (edit.layer !== 'repair' && !(history.canCut(edit.from) && history.canCut(edit.to))) failures.push(`${name}: it parts a round`);
  for (let at = edit.from; at < edit.to; at += 1) {
    if (edit.layer !== 'repair' && isBarrier(history.at(at))) failures.push(`${name}: it covers entry ${at}, which has to stay`);
  }
  return failures;
}

/** Everything that is wrong with `view`; empty when it may be sent. */
export function verifyView(view: View, history: History): readonly string[] {
  return [
    ...partitionFailures(view, history),
    ...editsOf(view).flatMap((edit) => editFailures(edit, history)),
    ...protocolFailures(view, history),
  ];
}

/** Throws `INVARIANT_BROKEN` with every failure. */
export function assertView(view: View, history: History): void {
  const failures = verifyView(view, history);
  if (failures.length === 0) return;
  throw new ContextError('INVARIANT_BROKEN', `the new view failed its proof and was not used: ${failures.join('; ')}`);
}
