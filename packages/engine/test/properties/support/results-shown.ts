/** Which results a model still sees word for word, read off the wire: calls, results and their bytes, without the engine's parts and pairs. */
import type { Context } from '../../../src/context.ts';
import type { IdScope } from '../../../src/core/pairing.ts';
import type { Wire } from '../../../src/core/entry.ts';
import { expectThat } from './checks.ts';

type Fields = Readonly<Record<string, unknown>>;

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}

function callsIn(message: Wire): readonly string[] {
  const { content, tool_calls: calls } = message as Fields;
  const uses = listOf(content).filter(({ type }) => type === 'tool_use');
  return [...uses, ...listOf(calls)].map(({ id }) => String(id));
}

interface Answer {
  readonly id: string;
  readonly content: unknown;
  /** True where the message is the result, so that a note can only stand in it. */
  readonly isMessage: boolean;
}

function answersIn(message: Wire): readonly Answer[] {
  const { role, content, tool_call_id: id } = message as Fields;
  if (role === 'tool') return [{ id: String(id), content, isMessage: true }];
  return listOf(content)
    .filter(({ type }) => type === 'tool_result')
    .map((block) => ({ id: String(block['tool_use_id']), content: block['content'], isMessage: false }));
}

/** What a note begins with, as the machine words them. */
const NOTE = /^\s*<(?:note|pin) /;

/** Whether `sent` is `original`, with nothing but notes behind it. */
function isWhole(sent: Answer, original: Answer): boolean {
  const bytes = (value: unknown): string => JSON.stringify(value) ?? '';
  if (bytes(sent.content) === bytes(original.content)) return true;
  if (!sent.isMessage) return false;
  if (typeof sent.content === 'string')
    return (
      sent.content.startsWith(String(original.content ?? '')) &&
      NOTE.test(sent.content.slice(String(original.content ?? '').length))
    );
  const own = listOf(original.content);
  const [other, notes] = [listOf(sent.content).slice(0, own.length), listOf(sent.content).slice(own.length)];
  return bytes(other) === bytes(own) && notes.length > 0 && notes.every(({ text }) => NOTE.test(String(text)));
}

interface Answered extends Answer {
  readonly at: number;
}

/** The result of each call that has one, by its id; of equal ids the newest round's. */
function answeredIn(messages: readonly Wire[], idScope: IdScope): ReadonlyMap<string, Answered> {
  const found = new Map<string, Answered>();
  const known = new Set<string>();
  let open = new Set<string>();
  messages.forEach((message, at) => {
    const { role } = message as Fields;
    if (role !== 'user' && role !== 'tool') {
      if (idScope === 'round') known.clear();
      open = new Set(callsIn(message).filter((id) => !known.has(id)));
      for (const id of callsIn(message)) known.add(id);
      return;
    }
    const answers = answersIn(message).filter(({ id }) => open.delete(id));
    for (const answer of answers) found.set(answer.id, { ...answer, at });
    if (answers.length === 0) open = new Set();
  });
  return found;
}

/** `sent` holds the messages of the context's view, each in the place of its view entry. */
export function checkResultsShown(
  context: Context<object, object>,
  sent: readonly Wire[],
  idScope: IdScope | undefined,
): void {
  const history = context.history();
  const answered = answeredIn(history, idScope ?? 'request');
  const { entries } = context.view();
  for (const id of new Set([...history.flatMap(callsIn), ...history.flatMap(answersIn).map((answer) => answer.id)])) {
    const original = answered.get(id);
    const place = entries.findIndex(
      ({ from, to }) => original !== undefined && from <= original.at && original.at < to,
    );
    const isThere = answersIn(sent[place] ?? {}).some(
      (answer) => original !== undefined && answer.id === id && isWhole(answer, original),
    );
    expectThat(
      context.showsResult(id) === isThere,
      'showsResult says what the request holds',
      () => `${id}: ${JSON.stringify(original)} in ${JSON.stringify(sent[place])}`,
    );
  }
}
