/** A session of any length, in Anthropic's format: turns of a user, rounds of one or two calls with results of real text, a closing answer. */
import { type Corpus, sessionCorpus } from './corpus.ts';
import { seeded } from './random.ts';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface CallBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
}

export interface ResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string;
}

export type Block = TextBlock | CallBlock | ResultBlock;

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly Block[];
}

/** Rounds of a turn, from one to about twice this. */
const MEAN_ROUNDS = 7;

/** Characters of a result: most are short, some long, as in the recorded session; 580 bytes a message on average. */
const RESULT_CHARS = { median: 300, spread: 1.25, min: 12, max: 20_000 } as const;

interface Source {
  readonly next: () => number;
  readonly corpus: string;
}

/** A stretch of the corpus that begins at a line. */
function stretch({ next, corpus }: Source, chars: number): string {
  const from = corpus.indexOf('\n', Math.floor(next() * Math.max(1, corpus.length - chars - 1_000))) + 1;
  const text = corpus.slice(from, from + Math.max(8, Math.floor(chars)));
  return text.trim() === '' ? `(nothing at ${from})` : text;
}

function resultChars({ next }: Source): number {
  const { median, spread, min, max } = RESULT_CHARS;
  // The normal distribution by Box and Muller; its exponential has a long tail.
  const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return Math.min(max, Math.max(min, median * Math.exp(spread * normal)));
}

function input(source: Source, name: string): Readonly<Record<string, string>> {
  const path = `packages/${'abcdefgh'[Math.floor(source.next() * 8)]}/src/file-${Math.floor(source.next() * 200)}.ts`;
  if (name === 'bash') return { command: `npm test -- ${path} # ${Math.floor(source.next() * 1e6)}` };
  if (name === 'edit_file') return { path, old_text: stretch(source, 60), new_text: stretch(source, 70) };
  return { path };
}

const TOOLS = ['read_file', 'bash', 'bash', 'read_file', 'edit_file'] as const;

function* roundsOf(source: Source, turn: number): Generator<Message> {
  const rounds = 1 + Math.floor(source.next() * 2 * MEAN_ROUNDS);
  for (let round = 0; round < rounds; round += 1) {
    const calls = Array.from({ length: source.next() < 0.15 ? 2 : 1 }, (_, index): CallBlock => {
      const name = TOOLS[Math.floor(source.next() * TOOLS.length)] ?? 'bash';
      return { type: 'tool_use', id: `toolu_${turn}_${round}_${index}`, name, input: input(source, name) };
    });
    const says =
      source.next() < 0.5 ? [{ type: 'text', text: stretch(source, 40 + source.next() * 200) } as const] : [];
    yield { role: 'assistant', content: [...says, ...calls] };
    yield {
      role: 'user',
      content: calls.map(({ id }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: stretch(source, resultChars(source)),
      })),
    };
  }
}

/** Messages without end, the same in every run. */
export function* session(seed = 1, { text: corpus }: Corpus = sessionCorpus()): Generator<Message> {
  const source = { next: seeded(seed), corpus };
  for (let turn = 0; ; turn += 1) {
    yield { role: 'user', content: stretch(source, 30 + source.next() * source.next() * 900) };
    yield* roundsOf(source, turn);
    yield { role: 'assistant', content: [{ type: 'text', text: stretch(source, 120 + source.next() * 700) }] };
  }
}

/** The first `length` messages as JSON, as a host would read them from a file or a request. */
export function sessionJson(length: number): string {
  const messages: Message[] = [];
  for (const message of session()) {
    if (messages.length === length) break;
    messages.push(message);
  }
  return JSON.stringify(messages);
}

/** The first `length` messages, parsed: their texts are strings of their own and no slices of the corpus. */
export function sessionMessages(length: number): Message[] {
  return JSON.parse(sessionJson(length)) as Message[];
}
