/** Lenses as tables: one rule a tool. A rule gives nothing where the input is not what the tool takes. */
import type { Fact, FilePart, Lens, LensResult, LineRange, Outcome } from '../lens.ts';
import { standardOutcome } from './outcome.ts';
import { ranFact } from './shell.ts';

/** Reads the fact off an input; undefined where it is none of this tool's. */
export type Rule = (input: unknown) => Fact | undefined;

/** A lens that knows which tools are its own. */
export interface TableLens extends Lens {
  readonly tools: readonly string[];
  /** The fact of a tool of its own, or undefined. */
  find(name: string, input: unknown): Fact | undefined;
}

export interface TableOptions {
  readonly name: string;
  readonly rules: Readonly<Record<string, Rule>>;
  readonly outcome?: (fact: Fact, result: LensResult) => Outcome;
}

export function tableLens({ name, rules, outcome = standardOutcome }: TableOptions): TableLens {
  const table = new Map(Object.entries(rules));
  const find = (tool: string, input: unknown): Fact | undefined => table.get(tool)?.(input);
  return {
    name,
    tools: [...table.keys()],
    find,
    call: (tool, input) => find(tool, input) ?? { kind: 'called', name: tool },
    outcome,
  };
}

/** Member `name` of an input, where that is an object. */
export function member(input: unknown, name: string): unknown {
  return input !== null && typeof input === 'object' && Object.hasOwn(input, name)
    ? (input as Record<string, unknown>)[name]
    : undefined;
}

/** The first of the members that is a text with something in it, or ''. */
export function textOf(input: unknown, ...names: readonly string[]): string {
  for (const name of names) {
    const value = member(input, name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

/** A whole number from 0 on, also where a model wrote it as text; undefined for anything else. */
export function countOf(input: unknown, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const raw = member(input, name);
    const value = typeof raw === 'string' && raw !== '' ? Number(raw) : raw;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  }
  return undefined;
}

/** Lines from the one numbered `from` on, `limit` of them or all; undefined for the whole file. */
export function linesFrom(from: number, limit: number | undefined): LineRange | undefined {
  if (from <= 1 && limit === undefined) return undefined;
  const first = Math.max(1, from);
  return { from: first, to: limit === undefined ? Number.POSITIVE_INFINITY : first + limit - 1 };
}

export function filePart(path: string, lines?: LineRange): FilePart {
  return lines === undefined ? { path } : { path, lines };
}

/** A rule for a tool about one file; `fields` are where its path may stand. */
export function file(kind: 'read' | 'wrote' | 'edited', ...fields: readonly string[]): Rule {
  return (input) => {
    const path = textOf(input, ...fields);
    return path === '' ? undefined : { kind, path };
  };
}

/** A rule for a tool that reads from line `offset` on, counted from `firstLine`. */
export function reading(field: string, firstLine: 0 | 1): Rule {
  return (input) => {
    const path = textOf(input, field);
    if (path === '') return undefined;
    const offset = countOf(input, 'offset') ?? firstLine;
    return { kind: 'read', ...filePart(path, linesFrom(offset + 1 - firstLine, countOf(input, 'limit'))) };
  };
}

export const command: Rule = (input) => {
  const text = textOf(input, 'command');
  return text === '' ? undefined : ranFact(text);
};

/** A rule for a tool that searches for what stands in `field`. */
export function searching(field: string): Rule {
  return (input) => {
    const query = textOf(input, field);
    const path = textOf(input, 'path');
    if (query === '') return undefined;
    return path === '' ? { kind: 'searched', query } : { kind: 'searched', query, path };
  };
}

/** A rule for a tool that lists a folder. */
export const listing: Rule = (input) => {
  const path = textOf(input, 'path');
  return { kind: 'searched', query: '*', ...(path === '' ? {} : { path }) };
};

export const fetching: Rule = (input) => {
  const url = textOf(input, 'url');
  return url === '' ? undefined : { kind: 'fetched', url };
};
