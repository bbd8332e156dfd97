/** The words that stand for what is in view already. */
import type { Repeats, Run } from './repeats.ts';

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** `lines 3–9`, of the older text. */
function linesOf({ target }: Repeats, run: Run): string {
  const first = lineAt(target.text, run.offset);
  const last = lineAt(target.text, run.offset + run.to - run.from);
  return first === last ? `line ${first}` : `lines ${first}–${last}`;
}

/** Where the whole of `text` stands, or undefined where only parts of it do. */
export function placeOfWhole(text: string, repeats: Repeats): 'same' | string | undefined {
  const [run] = repeats.runs;
  if (run === undefined || run.from !== 0 || run.to < text.length - 1) return undefined;
  if (run.offset === 0 && repeats.target.text.length <= text.length) return 'same';
  return linesOf(repeats, run);
}

/** `text` with a line for each part that stands in the older one. */
export function withPointers(text: string, repeats: Repeats): string {
  const out: string[] = [];
  let from = 0;
  for (const run of repeats.runs) {
    out.push(text.slice(from, run.from), `[… ${linesOf(repeats, run)} of that result, unchanged …]`);
    from = run.to;
  }
  return [...out, text.slice(from)].join('');
}
