/** A log or a command's output: head, tail and every line that tells of an error or a warning, with what stands around it. */
import { type Alarm, type LeftOut, type Row, Selection } from './rows.ts';

/** Share of the room for lines that tell of errors and warnings: some two dozen lines of usual length in 6,000 characters. */
export const ALARM_SHARE = 0.55;
/** Shares that are kept for the end and the beginning whatever there is between. A command says at its end what came of it. */
const TAIL_SHARE = 0.25;
const HEAD_SHARE = 0.15;

/** Rows shown behind an error: what it is about, the stack. */
const ROWS_BEHIND = 6;
const FRAMES_BEHIND = 12;

function addAlarms(selection: Selection, rows: readonly Row[], options: { alarm: Alarm; limit: number }): void {
  for (let i = 0; i < rows.length; i += 1) {
    if (rows[i]?.alarm === options.alarm) selection.add(i, options.limit);
  }
}

/** From the end backwards. */
function addTail(selection: Selection, rows: readonly Row[], limit: number): void {
  for (let i = rows.length - 1; i >= 0; i -= 1) if (!selection.add(i, limit)) return;
}

function addHead(selection: Selection, rows: readonly Row[], limit: number): void {
  for (let i = 0; i < rows.length; i += 1) if (!selection.add(i, limit)) return;
}

/** The rows behind an error that belong to it: its frames, and some lines whatever they are. */
function addBehind(selection: Selection, rows: readonly Row[], error: number): void {
  for (let behind = error + 1; behind < rows.length; behind += 1) {
    const most = rows[behind]?.isFrame === true ? FRAMES_BEHIND : ROWS_BEHIND;
    const isOver = behind - error > most || rows[behind]?.text.trim() === '';
    if (isOver || !selection.add(behind)) return;
  }
}

/** What belongs to each shown error: what is behind it, and the line before. */
function addContext(selection: Selection, rows: readonly Row[]): void {
  rows.forEach((row, i) => {
    if (row.alarm !== 2 || !selection.has(i)) return;
    addBehind(selection, rows, i);
    if (i > 0) selection.add(i - 1);
  });
}

/** As much of `rows` as `maxChars` hold, the most telling first. */
export function logPreview(rows: readonly Row[], maxChars: number): { readonly text: string; readonly left: LeftOut } {
  const selection = new Selection(rows, maxChars);
  const limit = Math.floor(maxChars * ALARM_SHARE);
  addAlarms(selection, rows, { alarm: 2, limit });
  addAlarms(selection, rows, { alarm: 1, limit });
  addTail(selection, rows, selection.usedChars + Math.floor(maxChars * TAIL_SHARE));
  addHead(selection, rows, selection.usedChars + Math.floor(maxChars * HEAD_SHARE));
  addContext(selection, rows);
  addTail(selection, rows, selection.usedChars + Math.floor((maxChars - selection.usedChars) / 2));
  addHead(selection, rows, maxChars);
  addTail(selection, rows, maxChars);
  return selection.render();
}
