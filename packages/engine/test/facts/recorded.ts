/** A recorded session of pi as a history in the engine's terms, and its calls told without the engine. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codePointTokens } from '../../src/core/estimate.ts';
import { History } from '../../src/core/history.ts';
import { entryOf } from '../../src/hub/session.ts';
import { anthropicBuilder } from '../../src/testing/wire-builder.ts';
import { DATA } from '../previews/data.ts';

const FILE = join(DATA, 'pi/before-compaction.jsonl');

/** Why tests over the session skip, or undefined. */
export const missing: string | undefined = existsSync(FILE) ? undefined : `no session at ${FILE}`;

type Block = Readonly<Record<string, unknown>>;

export interface Message {
  readonly role: string;
  /** Absent where the user ran a command: those are left out here. */
  readonly content?: string | readonly Block[];
  readonly toolCallId?: string;
  readonly isError?: boolean;
}

export function recordedMessages(): readonly Message[] {
  return readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly type: string; readonly message?: Message })
    .flatMap(({ type, message }) => (type === 'message' && message !== undefined ? [message] : []));
}

const words = (content: Message['content'] = []): string =>
  typeof content === 'string'
    ? content
    : content.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');

function replyOf({ content = [] }: Message): object {
  const blocks = typeof content === 'string' ? [] : content;
  const calls = blocks
    .filter(({ type }) => type === 'toolCall')
    .map(({ id, name, arguments: input }) => ({ id: String(id), name: String(name), input: input as object }));
  const text = words(content);
  return anthropicBuilder.assistant({ ...(text === '' ? {} : { text }), calls });
}

/** The first `count` messages; results of one batch are one message there. */
export function recordedHistory(messages: readonly Message[]): History {
  const history = new History();
  let results: { callId: string; text: string; isError: boolean }[] = [];
  const append = (message: object): void => history.append(entryOf(message, anthropicBuilder.codec, codePointTokens));
  const flush = (): void => {
    if (results.length > 0) for (const message of anthropicBuilder.results(results)) append(message);
    results = [];
  };
  for (const message of messages) {
    if (message.role === 'toolResult') {
      results.push({
        callId: message.toolCallId ?? '',
        text: words(message.content),
        isError: message.isError === true,
      });
      continue;
    }
    flush();
    if (message.role === 'user') append(anthropicBuilder.user(words(message.content)));
    else if (message.role === 'assistant' && (message.content ?? []).length > 0) append(replyOf(message));
  }
  flush();
  return history;
}
