/** Facts that code can state about a text, each true of the exact text only. */

import { lineCount, oneLine } from './text.ts';

export interface Fact {
  /** How an instruction asks for it. */
  readonly pattern: RegExp;
  state(text: string): string;
}

const FACTS: readonly Fact[] = [
  { pattern: /\b(?:line count|number of lines)\b/i, state: (text) => plural(lineCount(text), 'line') },
  { pattern: /\bfirst heading\b/i, state: (text) => `first heading: ${firstHeading(text) ?? 'none'}` },
  { pattern: /\bfirst export\b/i, state: (text) => `first export: ${firstExport(text) ?? 'none'}` },
  {
    pattern: /\b(?:size in characters|character count|number of characters)\b/i,
    state: (text) => plural(characters(text), 'character'),
  },
];

export function factsIn(wanted: string): readonly Fact[] {
  return FACTS.filter((fact) => fact.pattern.test(wanted));
}

/** One line of a report, such as `- docs/a.md: 12 lines; first heading: # Title`. */
export function factLine(target: string, text: string, facts: readonly Fact[]): string {
  return `- ${oneLine(target, 1_000)}: ${facts.map((fact) => fact.state(text)).join('; ')}`;
}

/** The first line that begins with `#`, whole. */
export function firstHeading(text: string): string | undefined {
  const match = /^#[^\n]*/m.exec(text);
  return match?.[0].trimEnd();
}

export function firstExport(text: string): string | undefined {
  return /\bexport (?:const|function|class|interface|type) ([A-Za-z_$][\w$]*)/.exec(text)?.[1];
}

/** Code points, as `wc -m` counts. */
function characters(text: string): number {
  let count = text.length;
  // The second half of a surrogate pair is no character of its own.
  for (let at = 1; at < text.length; at++) if (isPair(text, at)) count--;
  return count;
}

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
