/** Undo and redo by a rule of their own, told apart from the ledger's. */
import {
  type Edit,
  type Epoch,
  type Group,
  isEpoch,
  isNotes,
  overlaps,
  type Revocation,
} from '../../../src/core/edit.ts';
import type { History } from '../../../src/core/history.ts';
import { isProved } from '../../../src/core/ledger.ts';

interface TakenBack {
  /** Numbers of the epochs that are taken back. */
  readonly dead: ReadonlySet<number>;
  /** The undos in force, oldest first. */
  readonly undos: readonly Revocation[];
}

/** One undo after the other: an undo of an undo takes it off the pile. */
function takenBack(groups: readonly Group[]): TakenBack {
  const dead = new Set<number>();
  let undos: readonly Revocation[] = [];
  for (const group of groups) {
    if (group.cause !== 'undo') continue;
    const earlier = undos.find(({ seq }) => seq === group.target);
    if (earlier === undefined) dead.add(group.target);
    else dead.delete(earlier.target);
    undos = earlier === undefined ? [...undos, group] : undos.filter((undo) => undo !== earlier);
  }
  return { dead, undos };
}

/** Epochs that are not taken back. */
export function liveEpochs(groups: readonly Group[]): readonly Epoch[] {
  const { dead } = takenBack(groups);
  return groups.filter(isEpoch).filter(({ seq }) => !dead.has(seq));
}

function droppedEdits(groups: readonly Group[]): readonly (Edit | undefined)[] {
  const drops = groups.flatMap((group) => (group.cause === 'rewind' ? group.drops : []));
  return drops.map(([seq, index]) => groups.filter(isEpoch).find((group) => group.seq === seq)?.edits[index]);
}

/** Whether an edit is in force, but for undos: made for these bytes, and dropped by no move. */
function standing(groups: readonly Group[], history: History): (edit: Edit) => boolean {
  const dropped = droppedEdits(groups);
  return (edit) => !dropped.includes(edit) && isProved(edit, history);
}

/** What an undo takes back now. */
export function undoable(groups: readonly Group[], history: History): Epoch | undefined {
  const stands = standing(groups, history);
  return liveEpochs(groups).findLast(
    (epoch) => epoch.cause !== 'repair' && !isNotes(epoch) && epoch.edits.some(stands),
  );
}

/** What a redo brings back now. */
export function redoable(groups: readonly Group[], history: History): Epoch | undefined {
  const undo = takenBack(groups).undos.at(-1);
  const epoch = groups.filter(isEpoch).find(({ seq }) => seq === undo?.target);
  if (undo === undefined || epoch === undefined) return undefined;
  const dropped = droppedEdits(groups);
  const back = epoch.edits.filter((edit) => !dropped.includes(edit));
  const isSound = back.length > 0 && back.every((edit) => isProved(edit, history));
  const isOver = liveEpochs(groups).some(
    ({ seq, cause, edits }) =>
      seq > undo.seq &&
      ((cause !== 'arrival' && cause !== 'repair') ||
        edits.some((edit) => back.some((other) => overlaps(edit, other)))),
  );
  return isSound && !isOver ? epoch : undefined;
}

/** The groups that make the view with exactly `epochs` in force. */
export function withEpochs(groups: readonly Group[], epochs: readonly Epoch[]): readonly Group[] {
  return groups.filter((group) => group.cause === 'rewind' || (isEpoch(group) && epochs.includes(group)));
}
