/** JSON Lines as agents leave them behind: with a torn last line, or one that something else wrote into. */
import { isObject, type JsonObject } from './json.ts';
import type { LineProblem } from './recorded.ts';

export interface JsonLine {
  /** From 1. */
  readonly line: number;
  readonly record: JsonObject;
}

export interface JsonLines {
  readonly lines: readonly JsonLine[];
  readonly problems: readonly LineProblem[];
}

/** Every line that holds an object; the others are problems, and blank lines neither. */
export function readJsonLines(text: string): JsonLines {
  const lines: JsonLine[] = [];
  const problems: LineProblem[] = [];
  const raw = text.split('\n');
  raw.forEach((source, index) => {
    if (source.trim() === '') return;
    const record = parse(source);
    const isLast = index === raw.length - 1;
    if (isObject(record)) lines.push({ line: index + 1, record });
    else problems.push({ line: index + 1, what: isLast ? 'torn last line' : 'not a JSON object' });
  });
  return { lines, problems };
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
