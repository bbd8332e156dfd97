/** What every codec must do, as cases for any test runner. */
import type { Codec, Stop, Usage } from '../core/codec.ts';
import { digestValue } from '../core/digest.ts';
import { type Decoded, exactText, type Part, type Wire } from '../core/entry.ts';
import { ContextError } from '../core/errors.ts';
import type { ConformanceCase } from './archive-conformance.ts';

export interface RecordedReply {
  readonly reply: object;
  readonly stop: Stop;
  readonly usage: Usage | undefined;
}

export interface CodecConformanceOptions {
  readonly create: () => Codec;
  /** Requests as a client sends them, best with every kind of part the format has. */
  readonly requests: readonly object[];
  /** Replies as the provider sends them, and what they mean. */
  readonly replies: readonly RecordedReply[];
}

/** The cases; run each as a test of its own. They need no runner and no clock. */
export function codecConformance({ create, requests, replies }: CodecConformanceOptions): readonly ConformanceCase[] {
  const codec = create();
  const given = requests.map(frozen);
  const messages = given.flatMap((request) => codec.messages(request));
  const each = (check: (codec: Codec, message: Wire) => void) => async (): Promise<void> => {
    for (const message of messages) check(codec, message);
  };
  return [
    { name: 'reads every message and changes none', run: each(readsAll) },
    {
      name: 'sends an untouched message as the same object',
      run: async () => given.forEach((request) => sendsSame(codec, request)),
    },
    {
      name: 'keeps everything in a request but its messages',
      run: async () => given.forEach((request) => keepsHead(codec, request)),
    },
    {
      name: 'counts what stands in front of the messages',
      run: async () => given.forEach((request) => countsHead(codec, request)),
    },
    { name: 'judges equality without key order, copies or cache breakpoints', run: each(canonicalIsStable) },
    { name: 'judges messages with any other text as different', run: each(canonicalDiffers) },
    { name: 'patches the body of one part and nothing else', run: each(patchesBody) },
    { name: 'turns one part into text and leaves the others', run: each(patchesToText) },
    { name: 'attaches texts behind all else on the side of the user', run: each(attaches) },
    { name: 'carries parts of a user message as they are', run: each(composes) },
    { name: 'composes a user message from texts', run: async () => composesTexts(codec) },
    {
      name: 'reads replies: message, usage, reason',
      run: async () => replies.forEach((recorded) => readsReply(codec, recorded)),
    },
    { name: 'says what it cannot read', run: async () => refuses(codec) },
  ];
}

function fail(what: string, value: unknown): never {
  throw new Error(`${what}: ${JSON.stringify(value)?.slice(0, 400)}`);
}

function assertThat(holds: boolean, what: string, value: unknown): void {
  if (!holds) fail(what, value);
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

function copy(value: object): object {
  return JSON.parse(JSON.stringify(value)) as object;
}

const digest = (codec: Codec, message: Wire): string => digestValue(codec.canonical(message));

const sameParts = (one: readonly Part[], other: readonly Part[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const ORIGINS: readonly Decoded['origin'][] = ['user', 'model', 'host'];

function readsAll(codec: Codec, message: Wire): void {
  const { origin, parts } = codec.decode(message);
  assertThat(ORIGINS.includes(origin), 'an origin is user, model or host', message);
  assertThat(sameParts(parts, codec.decode(copy(message)).parts), 'a copy decodes to the same parts', message);
  for (const part of parts) {
    if (part.kind === 'call') assertThat(part.id !== '' && part.name !== '', 'a call has an id and a name', message);
    if (part.kind === 'result') assertThat(part.callId !== '', 'a result names its call', message);
  }
}

function sendsSame(codec: Codec, request: object): void {
  // A breakpoint of the caller's belongs to one request: a message that has one is sent as a copy without it.
  const messages = codec.messages(request).filter((message) => !JSON.stringify(message).includes('"cache_control"'));
  assertThat(messages.length > 0, 'the fixture has messages without breakpoints', messages);
  for (const message of messages) {
    // Behind one other: neighbours that break the provider's rules may have to change places.
    const sent = codec.messages(codec.encode(request, [messages[0] ?? message, message], []));
    assertThat(sent.at(-1) === message, 'a message is sent as the same object', message);
  }
}

/** Everything but cache breakpoints, which a codec may add. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (key === 'cache_control' ? [] : [[key, bare(member)]])),
  );
}

function keepsHead(codec: Codec, request: object): void {
  const sent = codec.encode(request, codec.messages(request), [0]) as Record<string, unknown>;
  for (const [key, value] of Object.entries(request)) {
    const isWidened = key === 'system' && typeof value === 'string';
    const expected = isWidened && typeof sent[key] !== 'string' ? [{ type: 'text', text: value }] : value;
    const isSame = digestValue(bare(sent[key])) === digestValue(bare(expected));
    assertThat(isSame || key === 'messages', 'a member of the request was changed', { key, value: sent[key] });
  }
}

function countsHead(codec: Codec, request: object): void {
  const { model, maxOutputTokens, texts, parts, toolNames } = codec.head(request);
  assertThat(
    model !== '' && Number.isInteger(maxOutputTokens) && maxOutputTokens > 0,
    'the head has a model and a limit',
    { model, maxOutputTokens },
  );
  const hasTools = Array.isArray((request as { tools?: unknown }).tools);
  assertThat(!hasTools || texts.join('').length > 0, 'tools count', texts);
  if (parts === undefined) return;
  const told = JSON.stringify([parts.map(({ text }) => text), parts.flatMap(({ name }) => name ?? [])]);
  assertThat(told === JSON.stringify([texts, toolNames]), 'the head says what each of its texts is', parts);
}

function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversedKeys(member)]),
  );
}

function canonicalIsStable(codec: Codec, message: Wire): void {
  const expected = digest(codec, message);
  assertThat(digest(codec, copy(message)) === expected, 'a copy is equal', message);
  assertThat(digest(codec, reversedKeys(message) as object) === expected, 'key order does not matter', message);
  assertThat(digest(codec, bare(message) as object) === expected, 'cache breakpoints do not matter', message);
}

/** Paths of the texts in a message, its role and kinds left out. */
function textPaths(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value === 'string') return ['role', 'type', 'ttl'].includes(path.at(-1) ?? '') ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === 'cache_control' ? [] : textPaths(member, [...path, key]),
  );
}

function withText(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return `${String(value)}, changed`;
  if (Array.isArray(value))
    return value.map((member, index) => (String(index) === key ? withText(member, rest) : member));
  return { ...(value as object), [key]: withText((value as Record<string, unknown>)[key], rest) };
}

function canonicalDiffers(codec: Codec, message: Wire): void {
  const expected = digest(codec, message);
  for (const path of textPaths(message)) {
    assertThat(
      digest(codec, withText(message, path) as object) !== expected,
      `a change at ${path.join('.')} went unseen`,
      message,
    );
  }
}

function patchesBody(codec: Codec, message: Wire): void {
  const { parts } = codec.decode(message);
  parts.forEach((part, index) => {
    if (part.kind !== 'result' && part.kind !== 'text') return;
    const patched = codec.decode(
      codec.patch(message, new Map([[index, { text: 'in its place', becomesText: false }]])),
    ).parts;
    const now = patched.find(
      (candidate) => (candidate.kind === 'result' || candidate.kind === 'text') && candidate.text === 'in its place',
    );
    assertThat(patched.length === parts.length && now !== undefined, 'the part holds the new text', patched);
    assertThat(
      part.kind !== 'result' ||
        (now?.kind === 'result' && now.callId === part.callId && exactText(now) === 'in its place'),
      'a result keeps its call',
      patched,
    );
    assertThat(
      sameParts(
        patched.filter((candidate) => candidate !== now),
        parts.filter((_, other) => other !== index),
      ),
      'the other parts stay',
      patched,
    );
  });
}

function patchesToText(codec: Codec, message: Wire): void {
  const { parts } = codec.decode(message);
  parts.forEach((part, index) => {
    const isAlone = parts.length === 1;
    if ((part.kind !== 'call' && part.kind !== 'result') || isAlone) return;
    const patched = codec.decode(codec.patch(message, new Map([[index, { text: 'a note', becomesText: true }]]))).parts;
    assertThat(
      patched.filter((candidate) => candidate.kind === 'text' && candidate.text === 'a note').length === 1,
      'the part is text',
      patched,
    );
    const rest = patched.filter((candidate) => !(candidate.kind === 'text' && candidate.text === 'a note'));
    assertThat(
      sameParts(
        rest,
        parts.filter((_, other) => other !== index),
      ),
      'the other parts stay',
      patched,
    );
  });
}

/** The texts are parts of their own, or stand behind the text of a result where the format has no other place. */
function attaches(codec: Codec, message: Wire): void {
  const { origin, parts } = codec.decode(message);
  if (origin !== 'user') return;
  const texts = ['one', 'two $& \u0000'];
  const now = codec.decode(codec.attach(message, texts)).parts;
  if (now.length > parts.length) {
    const expected = [...parts, ...texts.map((text): Part => ({ kind: 'text', text }))];
    assertThat(sameParts(now, expected), 'the texts are the last parts', now);
    return;
  }
  const last = parts.at(-1);
  const grown = now.at(-1);
  assertThat(sameParts(now.slice(0, -1), parts.slice(0, -1)), 'the other parts stay', now);
  if (last?.kind !== 'result' || grown?.kind !== 'result') fail('the texts have a place', now);
  const isBehind = grown.text.startsWith(last.text) && grown.callId === last.callId;
  const added = grown.text
    .slice(last.text.length)
    .split('\n')
    .filter((line) => line !== '');
  assertThat(isBehind && added.join() === texts.join(), 'the texts stand behind the result', now);
}

function composes(codec: Codec, message: Wire): void {
  const { origin, parts } = codec.decode(message);
  const own = parts.flatMap((part, index) => (part.kind === 'result' ? [] : [index]));
  if (origin !== 'user' || own.length === 0) return;
  const made = codec.decode(codec.compose(['before', ...own.map((part) => ({ message, part }))]));
  assertThat(made.origin === 'user' && made.parts[0]?.kind === 'text', 'a user message with the text in front', made);
  const carried = made.parts.slice(1);
  assertThat(
    JSON.stringify(bare(carried)) === JSON.stringify(bare(own.map((index) => parts[index]))),
    'the parts are carried as they are',
    made,
  );
}

function composesTexts(codec: Codec): void {
  const texts = ['one', 'two $& \u0000 \ud83d', '<persisted-output>'];
  const { origin, parts } = codec.decode(codec.compose(texts));
  assertThat(origin === 'user', 'it is of the user', origin);
  assertThat(
    sameParts(
      parts,
      texts.map((text) => ({ kind: 'text', text })),
    ),
    'the texts are there in order',
    parts,
  );
}

function readsReply(codec: Codec, { reply, stop, usage }: RecordedReply): void {
  const decoded = codec.reply(frozen(copy(reply)));
  assertThat(decoded.stop === stop, `the reply ended with ${stop}`, decoded.stop);
  assertThat(digestValue(decoded.usage) === digestValue(usage), 'usage is as reported', decoded.usage);
  if (decoded.message !== undefined)
    assertThat(codec.decode(decoded.message).origin === 'model', 'the message is of the model', decoded.message);
}

function refuses(codec: Codec): void {
  const attempts: readonly (() => unknown)[] = [
    () => codec.decode({ role: 'nobody', content: 'x' }),
    () => codec.decode({ role: 'user', content: 7 }),
    () => codec.head({ messages: [] }),
  ];
  for (const attempt of attempts) {
    try {
      attempt();
    } catch (error) {
      assertThat(
        error instanceof ContextError && error.code === 'INVALID_REQUEST',
        'the code is INVALID_REQUEST',
        String(error),
      );
      continue;
    }
    fail('it was read', attempt.toString());
  }
}
