/** Line numbers that reading tools put in front of each line. */

const NUMBERED = /^ {0,9}(\d{1,7})(?:\t|→|: ?|\| ?| +\| )/;

/** Lines looked at before the numbers are believed. */
const PROBED_LINES = 8;

export interface Numbered {
  readonly lines: readonly string[];
  /** The number of each line as the text says, or counted from 1 where it says none. */
  numberOf(index: number): number;
}

/** `lines` without the numbers in front of them, where all of the first have ascending ones. */
export function numbered(lines: readonly string[]): Numbered {
  const probe = lines.slice(0, PROBED_LINES).filter((line) => line.trim() !== '');
  const numbers = probe.map((line) => Number(NUMBERED.exec(line)?.[1] ?? Number.NaN));
  const isNumbered = probe.length > 2 && numbers.every((value, i) => value > (numbers[i - 1] ?? -1));
  if (!isNumbered) return { lines, numberOf: (index) => index + 1 };
  const found = lines.map((line) => NUMBERED.exec(line));
  return {
    lines: lines.map((line, i) => line.slice(found[i]?.[0].length ?? 0)),
    numberOf: (index) => Number(found[index]?.[1] ?? index + 1),
  };
}
