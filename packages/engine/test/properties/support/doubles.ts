/** Test doubles of what surrounds a context: an archive in memory, a writer with moods, errors as providers word them. */
import { createHash } from 'node:crypto';
import type { Archive } from '../../../src/core/archive.ts';
import type { Writer, WriterReply } from '../../../src/core/summary/writer.ts';
import type { RefusalKind, WriterMode } from './ops.ts';

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
