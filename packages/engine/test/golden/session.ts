/** A session told call by call, as an agent's loop runs it: append, prepare, accept. */
import { createContext, type Context, type ContextOptions } from '../../src/context.ts';
import type { Archive } from '../../src/core/archive.ts';
import type { Wire } from '../../src/core/entry.ts';
import type { Receipt } from '../../src/core/receipt.ts';
import type { Turn } from '../../src/hub/turn.ts';
import { anthropicBuilder, type ReplySpec, type ResultSpec, type WireBuilder } from '../../src/testing/wire-builder.ts';
import { memoryArchive } from '../properties/support/doubles.ts';

export type Options = Partial<ContextOptions<object, object>> & { readonly builder?: WireBuilder; readonly maxOutputTokens?: number };

export class TestSession {
  readonly builder: WireBuilder;
  readonly context: Context<object, object>;
  readonly archive: Archive;
  readonly #maxOutputTokens: number;
  #calls = 0;

  constructor({ builder = anthropicBuilder, maxOutputTokens = 8_000, ...options }: Options = {}) {
    this.builder = builder;
    this.archive = options.archive ?? memoryArchive();
    this.#maxOutputTokens = maxOutputTokens;
    this.context = createContext<object, object>({ codec: builder.codec, archive: this.archive, ...options });
  }

  user(text: string): this {
    this.context.append([this.builder.user(text)]);
    return this;
  }

  assistant(text: string): this {
    this.context.append([this.builder.assistant({ text })]);
    return this;
  }

  /** One assistant message with a call for each result, then the results. */
  round(...results: readonly string[]): this {
    const calls = results.map(() => ({ id: `call_${(this.#calls += 1)}`, name: 'bash', input: { command: `step ${this.#calls}` } }));
    const answers = calls.map((call, index): ResultSpec => ({ callId: call.id, text: results[index] ?? '' }));
    this.context.append([this.builder.assistant({ calls }), ...this.builder.results(answers)]);
    return this;
  }

  /** So many messages of user and assistant in turn, each `chars` long. */
  talk(messages: number, chars = 400): this {
    for (let i = 0; i < messages; i += 1) {
      const text = `${i} `.padEnd(chars, 'word ');
      if (i % 2 === 0) this.user(text);
      else this.assistant(text);
    }
    return this;
  }

  prepare(toolNames: readonly string[] = ['bash', 'recall']): Promise<Turn<object, object>> {
    return this.context.prepare(this.builder.request([], { toolNames, maxOutputTokens: this.#maxOutputTokens }));
  }

  async send(reply: ReplySpec = { text: 'Done.' }): Promise<Receipt> {
    const turn = await this.prepare();
    return turn.accept(this.builder.reply(reply));
  }
}

/** The messages of a request, without the leading ones of the host. */
export function messagesOf(turn: Turn<object, object>, builder: WireBuilder = anthropicBuilder): readonly Wire[] {
  return builder.codec.messages(turn.request);
}

/** Every text in a message, in order: its own blocks and those of results. */
export function textsOf(message: Wire | undefined): readonly string[] {
  const { content } = (message ?? {}) as { content?: unknown };
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return (content as readonly Record<string, unknown>[]).flatMap((block) => {
    if (typeof block['text'] === 'string') return [block['text']];
    return block['content'] === undefined ? [] : textsOf({ content: block['content'] });
  });
}
