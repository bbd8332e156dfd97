/** Things every coder does: small changes, looking around, ticking off a plan. */
import type { Random } from '../soak/random.ts';
import type { Project } from './code/project.ts';
import type { Coder } from './coder.ts';
import type { Does } from './steps.ts';

const SIGNATURE = /^\s*(?:export function|def |func |pub fn |public static )/;

const indentOf = (line: string): string => /^\s*/.exec(line)?.[0] ?? '';

/** Lines of a fresh function's body, at the indentation of `like`. */
export function freshLines(project: Project, like: string, count: number): readonly string[] {
  const { lines } = project.func(8);
  const first = lines.findIndex((line) => SIGNATURE.test(line)) + 1;
  const base = indentOf(lines[first] ?? '');
  const flat = lines
    .slice(first, -2)
    .filter((line) => indentOf(line) === base && !/[{:]$/.test(line.trimEnd()) && line.trim() !== '}');
  return flat.slice(0, count).map((line) => indentOf(like) + line.trim());
}

export function otherNumber(random: Random, line: string): string {
  return line.replace(/\d{2,}/, (digits) => String(Number(digits) + random.int(1, 90)));
}

function isFunctionLine(line: string): boolean {
  return SIGNATURE.test(line);
}

interface Place {
  readonly path: string;
  readonly at: number;
  readonly words: string | undefined;
}

/** Behind a function's first line. */
function* guard(coder: Coder, project: Project, { path, words }: Omit<Place, 'at'>): Does<boolean> {
  const lines = coder.world.lines(path);
  const heads = coder.seenLines(path).filter((index) => isFunctionLine(lines[index] ?? ''));
  if (heads.length === 0) return false;
  const head = coder.random.pick(heads);
  const fresh = freshLines(project, lines[head + 1] ?? '', 2);
  return yield* coder.edit(path, [head, head + 1], [lines[head] ?? '', ...fresh], words);
}

/** Statements in place of one or some. */
function* replaceSome(coder: Coder, project: Project, { path, at, words }: Place): Does<boolean> {
  const { random } = coder;
  const lines = coder.world.lines(path);
  const line = lines[at] ?? '';
  const count = random.int(1, 3);
  const to = Math.min(at + random.int(1, 3), lines.length - 2);
  const isFlat = lines
    .slice(at, to)
    .every((other) => indentOf(other) === indentOf(line) && !/[{}:]$/.test(other.trimEnd()));
  return yield* coder.edit(path, [at, isFlat ? to : at + 1], freshLines(project, line, count), words);
}

/** One change of a kind that reviews ask for, somewhere in what was seen of a file. False where nothing lends itself to one. */
export function* tweak(coder: Coder, project: Project, path: string, words?: string): Does<boolean> {
  const { random, world } = coder;
  const seen = coder.seenLines(path);
  if (seen.length === 0) return false;
  const at = random.pick(seen);
  const line = world.lines(path)[at] ?? '';
  const kind = random.weighted({ number: 3, insert: 3, replace: 3, guard: 2 });
  if (kind === 'number' && /\d{2,}/.test(line))
    return yield* coder.editLine(path, at, (old) => otherNumber(random, old), words);
  if (kind === 'guard') return yield* guard(coder, project, { path, words });
  if (isFunctionLine(line) || /[{:]$/.test(line)) return false;
  if (kind !== 'insert') return yield* replaceSome(coder, project, { path, at, words });
  const fresh = freshLines(project, line, random.int(1, 3));
  return yield* coder.edit(path, [at, at + 1], [line, ...fresh], words);
}

/** Tries until one works. */
export function* tweakSomehow(coder: Coder, project: Project, path: string, words?: string): Does<void> {
  for (let attempt = 0; attempt < 12; attempt += 1) if (yield* tweak(coder, project, path, words)) return;
}

/** Ticks the first open point of a checklist file that has `text` in it. */
export function* tick(coder: Coder, plan: string, text: string): Does<void> {
  const index = coder.world.lines(plan).findIndex((line) => line.startsWith('- [ ]') && line.includes(text));
  if (index >= 0) yield* coder.editLine(plan, index, (line) => line.replace('- [ ]', '- [x]'), 'That point is done.');
}

/** Takes `count` different ones. */
export function sample<T>(random: Random, list: readonly T[], count: number): readonly T[] {
  const left = [...list];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0) taken.push(...left.splice(random.int(0, left.length - 1), 1));
  return taken;
}

export const seconds = (count: number): number => count * 1_000;
export const minutes = (count: number): number => count * 60_000;
