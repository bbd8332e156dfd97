/** The call a result answers, as far as its shaping has to know it. */
import type { History, Place } from './history.ts';
import { headOf } from './layers/marker.ts';

export interface NamedCall {
  readonly name: string;
  readonly input: unknown;
}

/** The call that the result at `place` answers: it stands at the start of the round. */
export function callOf(history: History, place: Place): NamedCall | undefined {
  const result = history.at(place.entry).parts[place.part];
  if (result?.kind !== 'result') return undefined;
  const { parts } = history.at(history.cutBefore(place.entry));
  const call = parts.find((part) => part.kind === 'call' && part.id === result.callId);
  return call?.kind === 'call' ? call : undefined;
}

/** The first text among the members `names` of a call's input. */
function field(input: unknown, names: readonly string[]): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const fields = input as Readonly<Record<string, unknown>>;
  return names.map((name) => fields[name]).find((value) => typeof value === 'string') as string | undefined;
}

const PATHS = ['path', 'file_path', 'file', 'filename'];
const COMMANDS = ['command', 'cmd', 'script'];

export function pathIn(input: unknown): string | undefined {
  return field(input, PATHS);
}

/** A name with a word of reading in it: `read_file`, `Read`, `view`. */
const READING = /(?:^|[_\W])(?:read|view|open|cat)(?:$|[_\W])|^Read|[a-z]Read/;
/** A command that prints a file as it is. */
const PRINTING = /^\s*(?:cd [^&|;<>]{1,200} ?&& ?)?(?:cat|sed -n|head|tail|nl|bat|less|more)\s[^|;&<>]{1,400}$/;

/** Whether a call's result is the text of a file, by its name or the command it runs. */
export function readsFile({ name, input }: NamedCall): boolean {
  return READING.test(name) || PRINTING.test((field(input, COMMANDS) ?? '').slice(0, 1_000));
}

const MAX_WORDS_CHARS = 100;

/** The call in a few words: its name and what it was about. */
export function inWords({ name, input }: NamedCall): string {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  const about = field(input, [...PATHS, ...COMMANDS, 'pattern', 'query', 'url', ...fields.map(([key]) => key)]);
  return about === undefined ? name : `${name} ${headOf(about, MAX_WORDS_CHARS).replaceAll(/\s+/g, ' ')}`;
}
