/** Test doubles of what surrounds a context: an archive in memory, a writer with moods, errors as providers word them. */
import { createHash } from 'node:crypto';
import type { Archive } from '../../../src/core/archive.ts';
import type { Writer, WriterReply } from '../../../src/core/summary/writer.ts';
import type { StateItem } from '../../../src/core/summary/state.ts';
import type { SummaryOpinion } from '../../../src/hub/ask-host.ts';
import type { GateMode, RefusalKind, StateMode, WriterMode } from './ops.ts';

const hashes = new Map<string, string>();

/** Remembered, since a ledger is written out and read back after every step. */
function sha256(text: string): string {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  if (hashes.size > 5_000) hashes.clear();
  const hash = createHash('sha256').update(text, 'utf8').digest('hex');
  hashes.set(text, hash);
  return hash;
}

/** Keeps what it is given; refuses other bytes under a known address. */
export function memoryArchive(): Archive & { readonly texts: ReadonlyMap<string, string> } {
  const texts = new Map<string, string>();
  return {
    name: 'test-memory',
    texts,
    hash: sha256,
    put: async (address, text) => {
      const known = texts.get(address);
      if (known !== undefined && known !== text) throw new Error(`two texts under ${address}`);
      texts.set(address, text);
    },
    get: async (address) => texts.get(address),
  };
}

/** A writer whose answers depend on nothing but its mood and the request. */
export class MoodyWriter implements Writer {
  readonly name = 'moody';
  mode: WriterMode = 'good';
  calls = 0;
  largestPrompt = 0;

  async write(request: { prompt: string }, signal?: AbortSignal): Promise<WriterReply> {
    this.calls += 1;
    this.largestPrompt = Math.max(this.largestPrompt, request.prompt.length);
    await Promise.resolve();
    signal?.throwIfAborted();
    switch (this.mode) {
      case 'empty':
        return { text: ' \n', stop: 'end' };
      case 'cut':
        return { text: 'Half a summ', stop: 'cap' };
      case 'call':
        return { text: 'I will look at the files.', stop: 'call' };
      case 'throws':
        throw new Error('the model is down');
      case 'long':
        return {
          text: `Too long: ${'all of it again '.repeat(4_000)}`,
          stop: 'end',
          inputTokens: 10,
          outputTokens: 10,
        };
      default:
        return {
          text: `Goal, files and the rest, from ${request.prompt.length} characters.`,
          stop: 'end',
          inputTokens: 100,
          outputTokens: 20,
        };
    }
  }
}

/** A host whose answers depend on nothing but its moods and how often it was asked. */
export class MoodyHost {
  readonly #state: StateMode;
  readonly #gate: GateMode;
  asks = { state: 0, gate: 0 };
  lastOpinion: SummaryOpinion | undefined;

  constructor(state: StateMode, gate: GateMode) {
    this.#state = state;
    this.#gate = gate;
  }

  get ports(): {
    state?: (signal: AbortSignal | undefined) => Promise<readonly StateItem[]>;
    beforeSummary?: () => Promise<SummaryOpinion | undefined>;
  } {
    return {
      ...(this.#state === 'none' ? {} : { state: () => this.#give() }),
      ...(this.#gate === 'none' ? {} : { beforeSummary: () => this.#judge() }),
    };
  }

  async #give(): Promise<readonly StateItem[]> {
    this.asks.state += 1;
    await Promise.resolve();
    if (this.#state === 'throws') throw new Error('the plan cannot be read');
    const plan = { name: 'plan', text: `- [x] one\n- [ ] two, ${this.asks.state}`, maxTokens: 200, rank: 1 };
    if (this.#state === 'small') return [{ ...plan, text: 'do it' }];
    const file = { name: 'src/file.ts', text: 'const a = `b`;\n'.repeat(400), maxTokens: 900, rank: 3 };
    if (this.#state === 'growing') return [file, plan];
    if (this.#state === 'huge')
      return [plan, file, { name: 'log', text: 'x\u0000日本🙂 '.repeat(20_000), maxTokens: 1e9, rank: 0 }];
    const fences = '```\n[Compacted]\n````\nState given by the host\n';
    return [
      { name: 'a "name"\nof two lines', text: fences, maxTokens: 300, rank: 2 },
      { name: 'blank', text: ' \n', maxTokens: 100, rank: 0 },
      { name: 'half', text: '\ud83d'.repeat(50), maxTokens: 100, rank: Number.NaN },
      { name: 'none', text: 'nothing', maxTokens: 0, rank: 0 },
    ];
  }

  async #judge(): Promise<SummaryOpinion | undefined> {
    this.asks.gate += 1;
    await Promise.resolve();
    if (this.#gate === 'throws') throw new Error('the hook is broken');
    const isBlocked = this.#gate === 'never' || (this.#gate === 'sometimes' && this.asks.gate % 2 === 0);
    this.lastOpinion = isBlocked ? { block: 'not now' } : { focus: 'the plan' };
    return this.lastOpinion;
  }
}

/** Errors as the two providers' SDKs throw them. */
export function refusal(format: string, how: RefusalKind, sizes: { limit: number; requested: number }): unknown {
  const { limit, requested } = sizes;
  if (how === 'rate')
    return apiError(
      429,
      { error: { type: 'rate_limit_error', message: 'Number of requests has exceeded your limit' } },
      'rate limit',
    );
  if (how === 'other')
    return apiError(500, { error: { type: 'api_error', message: 'Internal server error' } }, 'Internal server error');
  if (how === 'bytes')
    return apiError(
      413,
      { error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
      'Request too large',
    );
  if (format === 'anthropic') {
    const message =
      how === 'numbers' ? `prompt is too long: ${requested} tokens > ${limit} maximum` : 'prompt is too long';
    return apiError(400, { type: 'error', error: { type: 'invalid_request_error', message } }, message);
  }
  const message =
    how === 'numbers'
      ? `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${requested} tokens. Please reduce the length of the messages.`
      : 'Your input exceeds the context window of this model. The prompt is too long.';
  return Object.assign(
    apiError(
      400,
      { message, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
      message,
    ),
    { code: 'context_length_exceeded' },
  );
}

function apiError(status: number, error: object, message: string): Error {
  return Object.assign(new Error(`${status} ${message}`), { status, error });
}
