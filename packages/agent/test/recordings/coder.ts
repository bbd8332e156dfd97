/**
 * A coder who acts as a sensible model does: reads before it edits, and edits by lines it has seen, sometimes long before. Whatever it does it yields,
 * and it keeps in mind which lines it was shown.
 */
import type { SimReplyPart } from '@holdover/simulator';
import type { Random } from '../soak/random.ts';
import type { Does, Seen } from './steps.ts';
import { callText, countTokens } from './tokens.ts';
import type { World } from './world.ts';

export interface Style {
  /** How often a call comes with words. */
  readonly talk: number;
  /** Lines an edit names beside those it changes, at most on either side. */
  readonly context: number;
  /** How files are read. */
  readonly reader: 'tool' | 'cat' | 'sed';
}

export interface Call {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** Fewer say nothing: a brace, a blank. */
const MIN_LINE_CHARS = 12;

const SHELL_READERS = { whole: 'cat', range: 'sed' } as const;

/** After so many replies a line is mostly looked at again before it is changed; sometimes the coder relies on memory. */
const FRESH_REPLIES = 15;
const REREADS = 0.75;

/** More lines around a place than this never help to make it unique. */
const MAX_CONTEXT_LINES = 12;

export class Coder {
  readonly world: World;
  readonly random: Random;
  readonly style: Style;
  /** By file and line: number of the reply that last showed or wrote it. */
  readonly #seen = new Map<string, Map<string, number>>();
  #replies = 0;
  #tokens = 0;

  constructor(world: World, random: Random, style: Style) {
    this.world = world;
    this.random = random;
    this.style = style;
  }

  /** What the session says so far, o200k tokens. */
  get tokens(): number {
    return this.#tokens;
  }

  /** `pauseMs`: since the last answer. */
  *user(text: string, pauseMs: number): Does<void> {
    this.#tokens += countTokens(text);
    yield { kind: 'user', text, pauseMs };
  }

  /** Ends the model's turn. */
  *say(text: string): Does<void> {
    this.#tokens += countTokens(text);
    yield { kind: 'reply', parts: [{ kind: 'text', text }] };
  }

  /** The user stops the model while it thinks. */
  *interrupted(): Does<void> {
    yield { kind: 'interrupt' };
  }

  *calls(calls: readonly Call[], words?: string): Does<readonly Seen[]> {
    const spoken = words !== undefined && this.random.chance(this.style.talk) ? words : undefined;
    const parts: SimReplyPart[] = [
      ...(spoken === undefined ? [] : [{ kind: 'text' as const, text: spoken }]),
      ...calls.map((call) => ({ kind: 'call' as const, ...call })),
    ];
    this.#replies += 1;
    const results = yield { kind: 'reply', parts };
    const said = [spoken ?? '', ...calls.map(callText), ...results.map(({ text }) => text)];
    this.#tokens += said.reduce((sum, text) => sum + countTokens(text), 0);
    return results;
  }

  *call(name: string, input: Record<string, unknown>, words?: string): Does<Seen> {
    const [seen = { text: '', isError: true }] = yield* this.calls([{ name, input }], words);
    return seen;
  }

  *bash(command: string, words?: string): Does<Seen> {
    return yield* this.call('bash', { command }, words);
  }

  *grep(pattern: string, path?: string, words = `Where is ${pattern} used?`): Does<Seen> {
    return yield* this.call('grep', { pattern, ...(path === undefined ? {} : { path }) }, words);
  }

  /** As `grep`, and the lines it shows are known then. */
  *grepLines(pattern: string, words?: string): Does<Seen> {
    const found = yield* this.call('grep', { pattern }, words);
    for (const row of found.text.split('\n')) {
      const [, path, line] = /^([^:]+):\d+:(.*)$/.exec(row) ?? [];
      if (path !== undefined && line !== undefined && this.world.has(path)) this.#noteSeen(path, line);
    }
    return found;
  }

  /** A file it has read before is looked at with the shell, as it is on disk: the agent's own tool would point back to the first reading. */
  #readCall(path: string, from: number, count: number | undefined): Call {
    const reader = this.#seen.has(path) ? SHELL_READERS[count === undefined ? 'whole' : 'range'] : this.style.reader;
    if (reader === 'cat' && count === undefined) return { name: 'bash', input: { command: `cat ${path}` } };
    if (reader === 'sed' && count !== undefined)
      return { name: 'bash', input: { command: `sed -n '${from + 1},${from + count}p' ${path}` } };
    const range = count === undefined ? {} : { offset: from, limit: count };
    return { name: 'read_file', input: { path, ...range } };
  }

  #noteSeen(path: string, text: string): void {
    const known = this.#seen.get(path) ?? new Map<string, number>();
    for (const line of text.split('\n')) known.set(line, this.#replies);
    this.#seen.set(path, known);
  }

  /** Reads files in one go, whole. */
  *read(paths: readonly string[], words?: string): Does<void> {
    const results = yield* this.calls(
      paths.map((path) => this.#readCall(path, 0, undefined)),
      words ?? (paths.length === 1 ? `Let me look at ${paths[0]}.` : `Let me read these ${paths.length} files.`),
    );
    results.forEach(({ text, isError }, index) => {
      if (!isError) this.#noteSeen(paths[index] ?? '', text);
    });
  }

  /** Reads `count` lines from line `from` on, from 0. */
  *readRange(path: string, from: number, count: number): Does<void> {
    const calls = [this.#readCall(path, from, count)];
    const [result] = yield* this.calls(calls, `I look at ${path} from line ${from + 1}.`);
    if (result?.isError === false) this.#noteSeen(path, result.text);
  }

  hasSeen(path: string, line: string): boolean {
    return this.#seen.get(path)?.has(line) === true;
  }

  /** Indices of lines it may name: seen, and saying something. */
  seenLines(path: string): readonly number[] {
    return this.world
      .lines(path)
      .flatMap((line, index) => (line.trim().length >= MIN_LINE_CHARS && this.hasSeen(path, line) ? [index] : []));
  }

  /** `[from, to)` with some lines around it, as far as they were seen. */
  #widened(path: string, from: number, to: number): [number, number] {
    const lines = this.world.lines(path);
    const isSeen = (index: number): boolean => lines[index] !== undefined && this.hasSeen(path, lines[index]);
    let [start, end] = [from, to];
    for (let more = this.random.int(0, this.style.context); more > 0 && isSeen(start - 1); more -= 1) start -= 1;
    for (let more = this.random.int(0, this.style.context); more > 0 && isSeen(end); more -= 1) end += 1;
    return [start, end];
  }

  /** The lines around `[from, to)` that stand in the file once, or undefined where it has not seen enough of them. */
  #unique(path: string, from: number, to: number): readonly [number, number] | undefined {
    const lines = this.world.lines(path);
    const text = this.world.text(path);
    let [start, end] = this.#widened(path, from, to);
    for (let more = 0; more < MAX_CONTEXT_LINES; more += 1) {
      const old = lines.slice(start, end);
      if (!old.every((line) => line === '' || this.hasSeen(path, line))) return undefined;
      if (text.split(old.join('\n')).length === 2) return [start, end];
      if (more % 2 === 0 && start > 0) start -= 1;
      else end = Math.min(lines.length, end + 1);
    }
    return undefined;
  }

  *#lookAgain(path: string, from: number): Does<void> {
    const line = this.world.lines(path)[from] ?? '';
    const age = this.#replies - (this.#seen.get(path)?.get(line) ?? this.#replies);
    if (age <= FRESH_REPLIES || !this.random.chance(REREADS)) return;
    const start = Math.max(0, from - this.random.int(4, 30));
    yield* this.readRange(path, start, this.random.int(35, 90));
  }

  /** Replaces the lines `[from, to)` by `fresh`. False where it has not seen what it would have to name. */
  *edit(path: string, [from, to]: readonly [number, number], fresh: readonly string[], words?: string): Does<boolean> {
    yield* this.#lookAgain(path, from);
    const place = this.#unique(path, from, to);
    if (place === undefined) return false;
    const lines = this.world.lines(path);
    const [start, end] = place;
    const old = lines.slice(start, end).join('\n');
    const next = [...lines.slice(start, from), ...fresh, ...lines.slice(to, end)].join('\n');
    if (old === next) return false;
    const input = { path, old_text: old, new_text: next };
    const { isError, text } = yield* this.call('edit_file', input, words);
    if (isError) throw new Error(`the edit of ${path} failed: ${text}`);
    this.world.note(
      path,
      this.world.text(path).replace(old, () => next),
    );
    this.#noteSeen(path, next);
    return true;
  }

  /** Replaces one line by what `change` makes of it. */
  *editLine(path: string, index: number, change: (line: string) => string, words?: string): Does<boolean> {
    const line = this.world.lines(path)[index] ?? '';
    return yield* this.edit(path, [index, index + 1], change(line).split('\n'), words);
  }

  /** An edit from memory that is a little wrong, as happens: it fails and changes nothing. */
  *misremember(path: string, index: number): Does<void> {
    const line = this.world.lines(path)[index] ?? '';
    const wrong = line.replace(/\d+/, (digits) => String(Number(digits) + 1));
    if (wrong === line || this.world.text(path).includes(wrong)) return;
    const { isError } = yield* this.call('edit_file', { path, old_text: wrong, new_text: `${line} ` }, 'Now the edit.');
    if (!isError) throw new Error(`the edit of ${path} was to fail`);
  }

  *write(path: string, text: string, words?: string): Does<void> {
    const { isError, text: said } = yield* this.call('write_file', { path, content: text }, words);
    if (isError) throw new Error(`writing ${path} failed: ${said}`);
    this.world.note(path, text);
    this.#noteSeen(path, text);
  }

  *todo(items: readonly string[], done: number): Does<void> {
    const statusOf = (index: number): string => {
      if (index < done) return 'completed';
      return index === done ? 'in_progress' : 'pending';
    };
    yield* this.call('todo_write', { todos: items.map((content, index) => ({ content, status: statusOf(index) })) });
  }
}
