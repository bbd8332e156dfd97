/**
 * Path patterns, compiled to RE2 so that no pattern, however odd, takes more than linear time.
 *
 * `*` and `?` stay within a segment, `**` as a whole segment spans any number of them, `[a-z]` and `[!a-z]`
 * are classes, `{a,b}` alternatives (nestable), `\` takes the next character literally. Names with a leading
 * dot match like any other. A trailing `/**` also matches the folder itself.
 */
import { RE2JS } from 're2js';

export type GlobMatcher = (path: string) => boolean;

export type CompiledGlob =
  | { readonly ok: true; readonly matches: GlobMatcher }
  | { readonly ok: false; readonly reason: string };

export interface GlobOptions {
  /** Compare letters without regard to case. @default false */
  readonly ignoreCase?: boolean;
}

export const DEFAULT_GLOB_OPTIONS: Required<GlobOptions> = { ignoreCase: false };

/** Longer patterns are mistakes, and RE2 time grows with pattern times text. */
export const MAX_GLOB_CHARS: number = 1000;

const MAGIC = /[*?[\]{}\\]/;

/** `pattern` uses `/` separators and matches whole relative paths. Never throws. */
export function compileGlob(pattern: string, options: GlobOptions = {}): CompiledGlob {
  if (pattern === '') return { ok: false, reason: 'the pattern is empty' };
  if (pattern.length > MAX_GLOB_CHARS) {
    return { ok: false, reason: `the pattern is ${pattern.length} characters long; at most ${MAX_GLOB_CHARS}` };
  }
  const ignoreCase = options.ignoreCase ?? DEFAULT_GLOB_OPTIONS.ignoreCase;
  try {
    const expression = RE2JS.compile(translate(pattern), RE2JS.DOTALL | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
    return { ok: true, matches: (path) => expression.testExact(path) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : 'the pattern cannot be read' };
  }
}

/** Leading segments without any pattern character, and the rest: `src/*.ts` → `['src', '*.ts']`. */
export function splitGlob(pattern: string): { readonly folder: string; readonly rest: string } {
  const segments = pattern.split('/');
  let fixed = segments.findIndex((segment) => MAGIC.test(segment));
  if (fixed === -1) fixed = segments.length - 1;
  return { folder: segments.slice(0, fixed).join('/'), rest: segments.slice(fixed).join('/') };
}

/** A pattern that matches exactly `path`. */
export function escapeGlob(path: string): string {
  return path.replace(/[*?[\]{}\\]/g, (character) => `\\${character}`);
}

interface Translation {
  readonly pattern: string;
  index: number;
  braces: number;
  output: string;
}

const SPECIAL: Readonly<Record<string, (state: Translation) => void>> = {
  '*': translateStar,
  '?': (state) => emit(state, '[^/]', 1),
  '[': translateClass,
  '{': translateBrace,
  '}': (state) => (state.braces > 0 ? close(state) : emit(state, '\\}', 1)),
  ',': (state) => emit(state, state.braces > 0 ? '|' : ',', 1),
  '/': translateSlash,
  '\\': translateEscape,
};

function translate(pattern: string): string {
  const state: Translation = { pattern, index: 0, braces: 0, output: '' };
  while (state.index < pattern.length) {
    const character = String.fromCodePoint(pattern.codePointAt(state.index) ?? 0);
    const special = SPECIAL[character];
    if (special === undefined) emit(state, RE2JS.quote(character), character.length);
    else special(state);
  }
  return state.output;
}

function emit(state: Translation, output: string, consumed: number): void {
  state.output += output;
  state.index += consumed;
}

function translateEscape(state: Translation): void {
  const codePoint = state.pattern.codePointAt(state.index + 1);
  const literal = codePoint === undefined ? '\\' : String.fromCodePoint(codePoint);
  emit(state, RE2JS.quote(literal), 1 + literal.length);
}

function translateStar(state: Translation): void {
  const { pattern, index } = state;
  const run = /^\*+/.exec(pattern.slice(index))?.[0].length ?? 1;
  const startsSegment = index === 0 || pattern[index - 1] === '/';
  const after = pattern[index + run];
  if (run !== 2 || !startsSegment || (after !== undefined && after !== '/')) return emit(state, '[^/]*', run);
  if (after === '/') return emit(state, '(?:[^/]+/)*', run + 1);
  emit(state, '.*', run);
}

function translateSlash(state: Translation): void {
  const endsInAll = state.pattern.slice(state.index) === '/**' && state.index > 0;
  if (endsInAll) emit(state, '(?:/.*)?', 3);
  else emit(state, '/', 1);
}

function translateClass(state: Translation): void {
  const found = /^\[([!^]?)(\]?[^\]/]*)\]/.exec(state.pattern.slice(state.index));
  const members = found?.[2];
  if (found === null || members === undefined || members === '') return emit(state, '\\[', 1);
  const safe = members.replace(/[\\[\]^&~]/g, (character) => `\\${character}`);
  // a class never matches the separator, even when it is negated
  emit(state, found[1] === '' ? `[${safe}]` : `[^/${safe}]`, found[0].length);
}

function translateBrace(state: Translation): void {
  if (!closesWithAlternatives(state.pattern, state.index)) return emit(state, '\\{', 1);
  state.braces += 1;
  emit(state, '(?:', 1);
}

function close(state: Translation): void {
  state.braces -= 1;
  emit(state, ')', 1);
}

function closesWithAlternatives(pattern: string, start: number): boolean {
  let depth = 0;
  let commas = 0;
  for (let index = start; index < pattern.length; index += 1) {
    const character = pattern[index];
    if (character === '\\') index += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) commas += 1;
    else if (character === '}') depth -= 1;
    if (depth === 0) return commas > 0;
  }
  return false;
}
