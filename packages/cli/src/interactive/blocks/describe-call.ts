/** A tool call in a few words: what it is about, and what came of it. */
import { sanitiseLine } from '../text/sanitise.ts';
import { plural } from '../text/numbers.ts';

export type Input = Readonly<Record<string, unknown>>;

export function inputOf(input: unknown): Input {
  return typeof input === 'object' && input !== null ? (input as Input) : {};
}

export function text(input: Input, key: string): string {
  const value = input[key];
  return typeof value === 'string' ? value : '';
}

function todoCount({ todos }: Input): string {
  return Array.isArray(todos) ? plural(todos.length, 'task') : '';
}

function range(input: Input): string {
  const offset = typeof input['offset'] === 'number' ? input['offset'] : 0;
  const limit = typeof input['limit'] === 'number' ? input['limit'] : undefined;
  if (offset === 0 && limit === undefined) return text(input, 'path');
  return `${text(input, 'path')}:${offset + 1}${limit === undefined ? '…' : `-${offset + limit}`}`;
}

function place(input: Input): string {
  const where = text(input, 'path') || text(input, 'glob');
  return where === '' || where === '.' ? text(input, 'pattern') : `${text(input, 'pattern')} in ${where}`;
}

const SUBJECTS: Readonly<Record<string, (input: Input) => string>> = {
  read_file: range,
  write_file: (input) => text(input, 'path'),
  edit_file: (input) => text(input, 'path'),
  bash: (input) => text(input, 'command'),
  grep: place,
  glob: place,
  todo_write: todoCount,
  compact: (input) => text(input, 'focus'),
  recall: (input) => text(input, 'address') || text(input, 'query'),
  task: (input) => text(input, 'title') || text(input, 'description'),
  load_skill: (input) => text(input, 'name'),
  snip: () => '',
};

/** What the call is about, on one line. */
export function subjectOf(name: string, input: unknown): string {
  const fields = inputOf(input);
  const subject = SUBJECTS[name]?.(fields) ?? JSON.stringify(fields);
  return sanitiseLine(subject === '{}' ? '' : subject);
}

function lineCount(result: string): number {
  return result.trimEnd().split('\n').length;
}

/** Tools whose result says in its first line what was done. */
const SPOKEN: ReadonlySet<string> = new Set(['write_file', 'edit_file', 'compact', 'snip']);
const SPOKEN_CHARS = 60;

/** What came of it, on one line; '' where the line of the call says it all. */
export function outcomeOf(name: string, result: string): string {
  const clean = sanitiseLine(result.slice(0, 2_000));
  if (name === 'todo_write') return clean.match(/\d+ completed/)?.[0] ?? '';
  if (SPOKEN.has(name)) return clean.length > SPOKEN_CHARS ? `${clean.slice(0, SPOKEN_CHARS - 1)}…` : clean;
  if (clean === '' || clean === '(no output)') return 'no output';
  const lines = lineCount(result);
  return lines === 1 && clean.length <= 40 ? clean : plural(lines, 'line');
}
