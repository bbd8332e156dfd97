/** What every summary writer must do, as cases for any test runner. */
import {
  type Writer,
  type WriterReply,
  type WriterRequest,
  refusalOf,
  summaryRequest,
} from '../core/summary/writer.ts';
import type { ConformanceCase } from './archive-conformance.ts';

export interface WriterConformanceOptions {
  /** A writer over a model, or a double of one, that answers with `text`, ended as `stop` says. */
  readonly create: (answer: { readonly text: string; readonly stop: WriterReply['stop'] }) => Writer;
  /** A writer whose model call rejects. */
  readonly createFailing: () => Writer;
  /** A writer whose model call lasts until it is aborted. */
  readonly createHanging: () => Writer;
}

const STOPS: readonly WriterReply['stop'][] = ['end', 'cap', 'call', 'refusal'];

/** The cases; run each as a test of its own. They need no runner and no clock. */
export function writerConformance(options: WriterConformanceOptions): readonly ConformanceCase[] {
  const { create, createFailing, createHanging } = options;
  return [
    { name: 'has a name', run: async () => assertThat(create(answer('x')).name !== '', 'the name is empty') },
    { name: 'gives back the text of the model', run: () => givesText(create) },
    ...STOPS.map((stop) => ({ name: `says that the model ended by ${stop}`, run: () => saysStop(create, stop) })),
    { name: 'gives back nothing but text for an empty answer', run: () => givesEmpty(create) },
    { name: 'reports tokens as whole numbers where it reports them', run: () => reportsTokens(create) },
    {
      name: 'rejects when the model fails',
      run: async () => void (await requireRejection(createFailing().write(request()))),
    },
    { name: 'rejects at once when aborted before', run: () => abortsBefore(createHanging) },
    { name: 'rejects when aborted meanwhile', run: () => abortsMeanwhile(createHanging) },
  ];
}

function assertThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

function answer(text: string, stop: WriterReply['stop'] = 'end'): { text: string; stop: WriterReply['stop'] } {
  return { text, stop };
}

function request(): WriterRequest {
  return summaryRequest({ transcript: 'user text "Fix the build"', maxOutputTokens: 500, focus: 'the build' });
}

type Create = WriterConformanceOptions['create'];

async function givesText(create: Create): Promise<void> {
  const text = 'Goal: fix the build. $& \u0000 日本語';
  const reply = await create(answer(text)).write(request());
  assertThat(reply.text === text, `the text is ${JSON.stringify(reply.text)}`);
  assertThat(refusalOf(reply) === undefined, 'a whole answer was refused');
}

async function saysStop(create: Create, stop: WriterReply['stop']): Promise<void> {
  const reply = await create(answer('Some words.', stop)).write(request());
  assertThat(reply.stop === stop, `it says ${reply.stop}`);
  assertThat((refusalOf(reply) === undefined) === (stop === 'end'), 'only an answer that ended by itself is accepted');
}

async function givesEmpty(create: Create): Promise<void> {
  const reply = await create(answer('')).write(request());
  assertThat(reply.text.trim() === '', `the text is ${JSON.stringify(reply.text)}`);
  assertThat(refusalOf(reply) !== undefined, 'an empty answer was accepted');
}

async function reportsTokens(create: Create): Promise<void> {
  const { inputTokens = 0, outputTokens = 0 } = await create(answer('Some words.')).write(request());
  for (const tokens of [inputTokens, outputTokens])
    assertThat(Number.isInteger(tokens) && tokens >= 0, `it reports ${tokens} tokens`);
}

async function requireRejection(work: Promise<unknown>): Promise<unknown> {
  const result = await work.then(
    () => 'resolved' as const,
    (error: unknown) => ({ error }),
  );
  if (result === 'resolved') throw new Error('it resolved');
  return result.error;
}

async function abortsBefore(createHanging: () => Writer): Promise<void> {
  const abort = new AbortController();
  abort.abort();
  await requireRejection(createHanging().write(request(), abort.signal));
}

async function abortsMeanwhile(createHanging: () => Writer): Promise<void> {
  const abort = new AbortController();
  const work = requireRejection(createHanging().write(request(), abort.signal));
  await Promise.resolve();
  abort.abort();
  await work;
}
