/** Which parts of a new text stand in an older one already, line by line. */
import { type Anchor, eachLine, type ShownText, type ShownTexts } from './shown-texts.ts';

/** `[from, to)` of the new text equals what begins at `offset` of the older one; both begin and end with whole lines. */
export interface Run {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** What of a new text one older text says, in order and without overlap. */
export interface Repeats {
  readonly target: ShownText;
  readonly runs: readonly Run[];
  readonly chars: number;
}

const NEWLINE = 0x0a;

/** Whether `at` is where a line of `text` ends: before a line break or at the end. */
function isLineEnd(text: string, at: number): boolean {
  return at === text.length || text.charCodeAt(at) === NEWLINE;
}

function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** The longest run of equal whole lines through `at` of `text` and `offset` of `other`, not reaching before `floor`. */
function runThrough(text: string, other: string, place: { at: number; offset: number; floor: number }): Run {
  const { at, offset, floor } = place;
  let length = 0;
  while (at + length < text.length && text.charCodeAt(at + length) === other.charCodeAt(offset + length)) length += 1;
  let to = at + length;
  if (!(isLineEnd(text, to) && isLineEnd(other, offset + length))) to = Math.max(at, startOfLine(text, to) - 1);
  let back = 0;
  while (at - back > floor && offset > back && text.charCodeAt(at - back - 1) === other.charCodeAt(offset - back - 1))
    back += 1;
  let from = at - back;
  const isStart = from === 0 || text.charCodeAt(from - 1) === NEWLINE;
  const isOtherStart = offset === back || other.charCodeAt(offset - back - 1) === NEWLINE;
  if (!(isStart && isOtherStart)) from = text.indexOf('\n', from) + 1;
  return { from: Math.min(from, at), to, offset: offset - (at - Math.min(from, at)) };
}

interface Found extends Run {
  readonly id: number;
}

/** Of `repeatsIn`. */
export interface RepeatOptions {
  /** Shorter runs are no repeats. Characters. */
  readonly minChars: number;
  /** Whether the text stands verbatim where the model sees it. */
  readonly isUsable: (shown: ShownText) => boolean;
}

/** All runs, each the longest through its first line that an older text has. */
function allRuns(text: string, index: ShownTexts, options: RepeatOptions): readonly Found[] {
  const runs: Found[] = [];
  const usable = new Map<number, boolean>();
  const isUsable = (id: number): boolean => {
    const shown = index.text(id);
    const known = usable.get(id) ?? (shown !== undefined && options.isUsable(shown));
    usable.set(id, known);
    return known;
  };
  let floor = 0;
  let skipTo = 0;
  const longest = (at: number, anchors: readonly Anchor[]): Found | undefined => {
    let best: Found | undefined;
    for (const { id, offset } of anchors) {
      if (!isUsable(id)) continue;
      const run = runThrough(text, index.text(id)?.text ?? '', { at, offset, floor });
      if (best === undefined || run.to - run.from > best.to - best.from) best = { ...run, id };
    }
    return best;
  };
  eachLine(text, (from, to) => {
    if (from < skipTo) return;
    const best = longest(from, index.sameLines(text, from, to));
    if (best === undefined) return;
    // What was compared is not compared again, or a text made for it would take its square.
    skipTo = Math.max(skipTo, best.to);
    if (best.to - best.from < options.minChars) return;
    runs.push(best);
    floor = Math.min(text.length, best.to + 1);
  });
  return runs;
}

/** The older text that says most of `text`, and which parts; undefined where none does. */
export function repeatsIn(text: string, index: ShownTexts, options: RepeatOptions): Repeats | undefined {
  const same = index.sameAs(text).flatMap((id) => index.text(id) ?? []);
  const whole = same.find((shown) => shown.text === text && options.isUsable(shown));
  if (whole !== undefined)
    return { target: whole, runs: [{ from: 0, to: text.length, offset: 0 }], chars: text.length };
  const runs = allRuns(text, index, options);
  const chars = new Map<number, number>();
  for (const { id, from, to } of runs) chars.set(id, (chars.get(id) ?? 0) + to - from);
  const [best] = [...chars].toSorted((one, other) => other[1] - one[1] || other[0] - one[0]);
  const target = best === undefined ? undefined : index.text(best[0]);
  if (best === undefined || target === undefined) return undefined;
  return { target, runs: runs.filter(({ id }) => id === best[0]), chars: best[1] };
}
