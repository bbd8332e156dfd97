/**
 * What previews are made of: rows, each standing for one or more lines of the original, of which as many are shown as there is room for.
 * Between them stands how much is missing. Everything is linear in the text.
 */
import { headOf, tailOf } from '../layers/marker.ts';

/** 0: nothing special; 1: a warning; 2: an error. */
export type Alarm = 0 | 1 | 2;

/** One line of a preview, should it be shown. */
export interface Row {
  readonly text: string;
  /** Lines of the original it stands for. */
  readonly lines: number;
  /** Characters of the original it stands for, line ends included. */
  readonly chars: number;
  /** Of these, what its text says. */
  readonly saidLines: number;
  readonly saidChars: number;
  readonly alarm: Alarm;
  /** True for a line of a stack trace behind its message. */
  readonly isFrame: boolean;
}

/** What of the original a preview does not say. */
export interface LeftOut {
  readonly lines: number;
  readonly chars: number;
}

/** Most characters of one line: four screen lines. */
export const MAX_LINE_CHARS = 400;

/** Most characters of the line that stands for a gap, its line end included. */
export const GAP_CHARS = 64;

/** `line` with its middle left out where it is over `maxChars`; around `focus`, where that is given. */
export function clipped(
  line: string,
  maxChars: number = MAX_LINE_CHARS,
  focus = 0,
): { text: string; saidChars: number } {
  if (line.length <= maxChars) return { text: line, saidChars: line.length };
  const room = Math.max(0, maxChars - 48);
  const from = Math.min(Math.max(0, focus - Math.floor(room / 4)), line.length - room);
  const headChars = Math.ceil((room * 3) / 4);
  const head = from === 0 ? headOf(line, headChars) : headOf(tailOf(line, line.length - from), headChars);
  const tail = tailOf(line, room - headChars);
  const before = from === 0 ? '' : '[…] ';
  const said = head.length + tail.length;
  return { text: `${before}${head} [… ${line.length - said} characters …] ${tail}`, saidChars: said };
}

/** A row of one line as it is, clipped where it is long. */
export function rowOf(line: string, alarm: Alarm = 0, focus = 0): Row {
  const { text, saidChars } = clipped(line, MAX_LINE_CHARS, focus);
  return { text, lines: 1, chars: line.length + 1, saidLines: 1, saidChars: saidChars + 1, alarm, isFrame: false };
}

function gapText(rows: readonly Row[], from: number, to: number): string {
  let lines = 0;
  let chars = 0;
  let errors = 0;
  for (let i = from; i < to; i += 1) {
    lines += rows[i]?.lines ?? 0;
    chars += rows[i]?.chars ?? 0;
    if (rows[i]?.alarm === 2) errors += rows[i]?.lines ?? 0;
  }
  const alarming = errors === 0 ? '' : `, ${errors} with errors`;
  return `[… ${lines} ${lines === 1 ? 'line' : 'lines'}, ${chars} characters${alarming} …]`;
}

/** Chooses rows within a number of characters. */
export class Selection {
  readonly #rows: readonly Row[];
  readonly #shown: Uint8Array;
  readonly #maxChars: number;
  /** Characters taken, the lines for gaps included. */
  #used = GAP_CHARS;

  constructor(rows: readonly Row[], maxChars: number) {
    this.#rows = rows;
    this.#shown = new Uint8Array(rows.length);
    this.#maxChars = maxChars;
  }

  get usedChars(): number {
    return this.#used;
  }

  has(index: number): boolean {
    return this.#shown[index] === 1;
  }

  /** Shows row `index` where that keeps within `limit` characters (at most all there are); true where it is shown now. */
  add(index: number, limit: number = this.#maxChars): boolean {
    const row = this.#rows[index];
    if (row === undefined || this.has(index)) return row !== undefined;
    const opensLeft = index > 0 && !this.has(index - 1);
    const opensRight = index < this.#rows.length - 1 && !this.has(index + 1);
    const used = this.#used + row.text.length + 1 + (Number(opensLeft) + Number(opensRight) - 1) * GAP_CHARS;
    if (used > Math.min(limit, this.#maxChars)) return false;
    this.#shown[index] = 1;
    this.#used = used;
    return true;
  }

  /** The rows shown, in order, with a line for each gap; a gap that is shorter than such a line is shown after all. */
  render(): { readonly text: string; readonly left: LeftOut } {
    const out: string[] = [];
    const left = { lines: 0, chars: 0 };
    for (let i = 0; i < this.#rows.length; ) {
      const end = this.has(i) ? i + 1 : this.#gapEnd(i);
      const isShown = this.has(i) || this.#isShort(i, end);
      for (let row = i; row < end; row += 1) this.#account(row, isShown, { out, left });
      if (!isShown) out.push(gapText(this.#rows, i, end));
      i = end;
    }
    return { text: out.join('\n'), left };
  }

  #account(index: number, isShown: boolean, into: { out: string[]; left: { lines: number; chars: number } }): void {
    const row = this.#rows[index];
    if (row === undefined) return;
    if (isShown) into.out.push(row.text);
    into.left.lines += row.lines - (isShown ? row.saidLines : 0);
    into.left.chars += Math.max(0, row.chars - (isShown ? row.saidChars : 0));
  }

  #gapEnd(from: number): number {
    let end = from;
    while (end < this.#rows.length && !this.has(end)) end += 1;
    return end;
  }

  #isShort(from: number, to: number): boolean {
    const most = gapText(this.#rows, from, to).length;
    let chars = -1;
    for (let i = from; i < to && chars <= most; i += 1) chars += (this.#rows[i]?.text.length ?? 0) + 1;
    return chars <= most;
  }
}
