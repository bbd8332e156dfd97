/** Finds the line of a file a failed edit most likely meant. */
import { cutEnd } from './cut-text.ts';
import { similarity } from './similarity.ts';

export interface ClosestLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly onlyWhiteSpaceDiffers: boolean;
}

/** Lines looked at; the hint must stay cheap for generated files. */
const MAX_LINES = 20_000;
const MAX_SHOWN_CHARS = 200;
/** Below this no line is worth naming. 0–1. */
const MIN_SIMILARITY = 0.3;

/** Compares each line with the first line of `wanted` that is not blank. */
export function closestLine(text: string, wanted: string): ClosestLine | undefined {
  const target = squeeze(wanted.split('\n').find((line) => line.trim() !== '') ?? '');
  if (target === '') return undefined;
  let best = { index: -1, score: MIN_SIMILARITY };
  const lines = text.split('\n', MAX_LINES);
  for (const [index, line] of lines.entries()) {
    const score = similarity(squeeze(line), target);
    if (score > best.score) best = { index, score };
    if (score === 1) break;
  }
  const line = lines[best.index];
  if (line === undefined) return undefined;
  const alone = !wanted.trim().includes('\n');
  return {
    line: best.index + 1,
    text: cutEnd(line.trimEnd(), MAX_SHOWN_CHARS),
    onlyWhiteSpaceDiffers: alone && squeeze(line) === target,
  };
}

function squeeze(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}
