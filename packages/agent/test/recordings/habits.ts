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
  const flat = lines.slice(first, -2).filter((line) => indentOf(line) === base && !/[{:]$/.test(line.trimEnd()) && line.trim() !== '}');
  return flat.slice(0, count).map((line) => indentOf(like) + line.trim());
}

export function otherNumber(random: Random, line: string): string {
  return line.replace(/\d{2,}/, (digits) => String(Number(digits) + random.int(1, 90)));
}

function isFunctionLine(line: string): boolean {
  return SIGNATURE.test(line);
}

/** One change of a kind that reviews ask for, somewhere in what was seen of a file. False where nothing lends itself to one. */
export function* tweak(coder: Coder, project: Project, path: string, words?: string): Does<boolean> {
  const { random, world } = coder;
  const seen = coder.seenLines(path);
  if (seen.length === 0) return false;
  const at = random.pick(seen);
  const line = world.lines(path)[at] ?? '';
  const kind = random.weighted({ number: 3, insert: 3, replace: 3, guard: 2 });
  if (kind === 'number' && /\d{2,}/.test(line)) return yield* coder.editLine(path, at, (old) => otherNumber(random, old), words);
  if (kind === 'guard') {
    const heads = seen.filter((index) => isFunctionLine(world.lines(path)[index] ?? ''));
    if (heads.length === 0) return false;
    const head = random.pick(heads);
    const next = world.lines(path)[head + 1] ?? '';
    return yield* coder.edit(path, [head, head + 1], [world.lines(path)[head] ?? '', ...freshLines(project, next, 2)], words);
  }
  if (isFunctionLine(line) || /[{:]$/.test(line)) return false;
  const count = random.int(1, 3);
  if (kind === 'insert') return yield* coder.edit(path, [at, at + 1], [line, ...freshLines(project, line, count)], words);
  const to = Math.min(at + random.int(1, 3), world.lines(path).length - 2);
  const isFlat = world.lines(path).slice(at, to).every((other) => indentOf(other) === indentOf(line) && !/[{}:]$/.test(other.trimEnd()));
  return yield* coder.edit(path, [at, isFlat ? to : at + 1], freshLines(project, line, count), words);
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
