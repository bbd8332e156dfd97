/**
 * Repairs: what the caller's messages get wrong against the rules every provider shares becomes a frozen edit, so that the request is
 * accepted and the history stays as it was handed in.
 */
import { type Address, contentAddress } from '../archive.ts';
import type { Edit, PartEdit } from '../edit.ts';
import { exactText, type Part } from '../entry.ts';
import { createPairing, type Fault, type FaultKind } from '../pairing.ts';
import { effectiveEntry } from '../effective.ts';
import { locate, type ViewEntry } from '../view.ts';
import type { LayerInput, Proposal } from './layer.ts';
import { NOTHING } from './layer.ts';
import { recallNote } from './marker.ts';
import { carryNotes, rangeEdit } from './range-edits.ts';

const REASON: Record<FaultKind, string> = {
  'unanswered-call': 'a call was never answered',
  'orphan-result': 'a result answers no call',
  'duplicate-call': 'a call uses an id used before',
  'duplicate-result': 'a call was answered twice',
  'empty-text': 'a text is empty',
  'no-content': 'a message has no content',
};

/** What repairs are made from. */
export type RepairInput = Pick<LayerInput, 'history' | 'view' | 'hash' | 'staying'>;

interface Note {
  readonly text: string;
  readonly kept?: readonly [Address, string];
}

function noteOf(fault: Fault, part: Part | undefined, hash: LayerInput['hash']): Note {
  if (part?.kind === 'call') return { text: `[call to ${part.name} left out: ${REASON[fault.kind]}]` };
  if (part?.kind === 'result') {
    const exact = exactText(part);
    const address = contentAddress(exact, hash);
    return { text: `[result left out: ${REASON[fault.kind]}. ${recallNote(address)}]`, kept: [address, exact] };
  }
  return { text: '(empty)' };
}

function isCovered(fault: Fault, entry: ViewEntry | undefined): boolean {
  if (entry === undefined || entry.range !== undefined) return true;
  return fault.part >= 0 && entry.patches?.get(fault.part)?.becomesText === true;
}

/**
 * Faults of the view itself. Repairs of earlier turns make some the history does not know: a result whose call became text came late, and has
 * nothing to answer any more.
 */
function viewFaults({ history, view }: RepairInput): readonly Fault[] {
  const pairing = createPairing(history.idScope);
  view.entries.forEach((entry, index) => pairing.append(effectiveEntry(entry, history), index));
  return pairing.faults().map((fault) => ({ ...fault, at: view.entries[fault.at]?.from ?? fault.at }));
}

/** Both the history's faults and the view's: an edit may hide one of the history's now and be taken back later. */
function faultsOf(input: RepairInput, hasRepairs: boolean): readonly Fault[] {
  const found = [...input.history.faults(), ...(hasRepairs ? viewFaults(input) : [])];
  return [...new Map(found.map((fault) => [`${fault.at}.${fault.part}`, fault])).values()];
}

function partRepair(fault: Fault, note: Note, input: RepairInput): PartEdit {
  const until = fault.at + 1;
  return {
    kind: 'part',
    layer: 'repair',
    at: fault.at,
    part: fault.part,
    until,
    proof: input.history.digest(fault.at, until),
    text: note.text,
    becomesText: true,
    addresses: note.kept === undefined ? [] : [note.kept[0]],
    reason: REASON[fault.kind],
  };
}

/** Repairs one entry: part by part, or as a whole where nothing can stand in it. */
function repairEntry(
  at: number,
  faults: readonly Fault[],
  input: RepairInput,
): { edits: Edit[]; kept: [Address, string][] } {
  const { parts } = input.history.at(at);
  const notes = faults.map((fault) => noteOf(fault, parts[fault.part], input.hash));
  const kept = notes.flatMap((note) => (note.kept === undefined ? [] : [[...note.kept] as [Address, string]]));
  const faulty = new Set(faults.map((fault) => fault.part));
  // Results alone may stand in a message of their own kind, which cannot hold text instead.
  const isAllResults = parts.every((part, index) => part.kind === 'result' && faulty.has(index));
  if (!faulty.has(-1) && !isAllResults) {
    return { edits: faults.map((fault, i) => partRepair(fault, notes[i] ?? { text: '(empty)' }, input)), kept };
  }
  const plan = {
    from: at,
    to: at + 1,
    layer: 'repair' as const,
    reason: REASON[faults[0]?.kind ?? 'no-content'],
    pieces: [notes.map((note) => note.text).join('\n')],
    carried: carryNotes({ from: at, to: at + 1 }, input),
    addresses: [input.history.address(at, at + 1), ...kept.map(([address]) => address)],
  };
  return { edits: [rangeEdit(plan, input.history)], kept };
}

/** Edits for every fault that no edit in the view covers yet. `hasRepairs`: whether the ledger holds any, which late results need. */
export function proposeRepairs(input: RepairInput, hasRepairs: boolean): Proposal {
  const open = faultsOf(input, hasRepairs).filter(
    (fault) => !isCovered(fault, input.view.entries[locate(input.view.entries, fault.at)]),
  );
  if (open.length === 0) return NOTHING;
  const byEntry = new Map<number, Fault[]>();
  for (const fault of open) byEntry.set(fault.at, [...(byEntry.get(fault.at) ?? []), fault]);
  const repaired = [...byEntry].sort(([a], [b]) => a - b).map(([at, faults]) => repairEntry(at, faults, input));
  return { edits: repaired.flatMap(({ edits }) => edits), kept: new Map(repaired.flatMap(({ kept }) => kept)) };
}
