import { APIError as AnthropicError } from '@anthropic-ai/sdk';
import { APIError as OpenAiError } from 'openai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProviderError } from '../../src/core/provider-error.ts';
import { classifyError, isSilentOverflow } from '../../src/providers/overflow.ts';

/** Errors as the official SDKs build them from a status, a body and headers. */
const anthropic = (status: number, type: string, message: string, headers: Record<string, string> = {}): unknown =>
  AnthropicError.generate(status, { type: 'error', error: { type, message } }, undefined, new Headers(headers));
const openai = (status: number, error: object, headers: Record<string, string> = {}): unknown =>
  OpenAiError.generate(status, { error }, undefined, new Headers(headers));
const text = (message: string, status = 400): unknown => openai(status, { message, type: 'invalid_request_error' });

/** What the AI SDK throws, and what it wraps around that after retries. */
function aiSdk(statusCode: number, body: object): Error {
  const responseBody = JSON.stringify(body);
  return Object.assign(new Error('Bad Request'), { name: 'AI_APICallError', statusCode, responseBody, data: body });
}

const input = (limitTokens?: number, requestedTokens?: number): ProviderError => ({
  kind: 'overflow',
  what: 'input',
  ...(limitTokens === undefined ? {} : { limitTokens }),
  ...(requestedTokens === undefined ? {} : { requestedTokens }),
});
const both = (limitTokens?: number, requestedTokens?: number): ProviderError =>
  ({ ...input(limitTokens, requestedTokens), what: 'input-and-output' }) as ProviderError;

describe('classifyError: overflow, provider by provider', () => {
  it.each<[string, unknown, ProviderError, string?]>([
    [
      'Anthropic',
      anthropic(400, 'invalid_request_error', 'prompt is too long: 213462 tokens > 200000 maximum'),
      input(200_000, 213_462),
    ],
    [
      'Anthropic, models before 4.5',
      anthropic(
        400,
        'invalid_request_error',
        'input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again',
      ),
      both(200_000, 207_951),
    ],
    [
      'Anthropic body',
      anthropic(413, 'request_too_large', 'Request exceeds the maximum size'),
      { kind: 'overflow', what: 'bytes' },
    ],
    [
      'Anthropic pages',
      anthropic(
        400,
        'invalid_request_error',
        'messages.0.content.1.pdf.source: A maximum of 100 PDF pages may be provided.',
      ),
      { kind: 'overflow', what: 'media' },
    ],
    [
      'Anthropic images',
      anthropic(400, 'invalid_request_error', 'too many images and documents: 24 + 97 > 100'),
      { kind: 'overflow', what: 'media' },
    ],
    ['Claude gateway', anthropic(400, 'invalid_request_error', 'capability_rejected: prompt_too_long'), input()],
    [
      'Bedrock',
      Object.assign(new Error('Input is too long for requested model.'), {
        name: 'ValidationException',
        $metadata: { httpStatusCode: 400 },
      }),
      input(),
    ],
    [
      'Vertex Claude',
      anthropic(400, 'invalid_request_error', 'prompt is too long: 1000213 tokens > 1000000 maximum'),
      input(1_000_000, 1_000_213),
    ],
    [
      'OpenAI Chat',
      openai(400, {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens. Please reduce the length of the messages.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      }),
      input(128_000, 130_512),
    ],
    [
      'OpenAI Chat with output, input fits',
      openai(400, {
        message:
          "This model's maximum context length is 8192 tokens. However, you requested 9210 tokens (7210 in the messages, 2000 in the completion). Please reduce the length of the messages or completion.",
        code: 'context_length_exceeded',
      }),
      both(8_192, 9_210),
    ],
    [
      'OpenAI Chat with output, input alone is over',
      openai(400, {
        message:
          "This model's maximum context length is 8192 tokens. However, you requested 11210 tokens (9210 in the messages, 2000 in the completion).",
        code: 'context_length_exceeded',
      }),
      input(8_192, 9_210),
    ],
    [
      'OpenAI Responses',
      openai(400, {
        message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
        code: 'context_length_exceeded',
        param: 'input',
      }),
      input(),
    ],
    [
      'OpenAI Responses, in mid-stream',
      {
        type: 'response.failed',
        response: {
          status: 'failed',
          error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' },
        },
      },
      input(),
    ],
    [
      'OpenAI GPT-5 family and Azure',
      openai(400, {
        message:
          'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 281,442 tokens. Please reduce the length of the messages.',
        code: 'context_length_exceeded',
      }),
      input(272_000, 281_442),
    ],
    [
      'Gemini',
      {
        status: 400,
        message: JSON.stringify({
          error: {
            code: 400,
            message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
            status: 'INVALID_ARGUMENT',
          },
        }),
      },
      input(1_048_575, 1_196_265),
    ],
    [
      'Groq',
      openai(400, {
        message: 'Please reduce the length of the messages or completion.',
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
      }),
      both(),
    ],
    [
      'Mistral',
      text('Prompt contains 40111 tokens and 0 draft tokens, too large for model with 32768 maximum context length'),
      input(32_768, 40_111),
    ],
    [
      'xAI',
      text("This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
      input(131_072, 537_812),
    ],
    [
      'DeepSeek',
      text(
        "This model's maximum context length is 1048576 tokens. However, you requested 1100000 tokens (1090000 in the messages, 10000 in the completion).",
      ),
      input(1_048_576, 1_090_000),
    ],
    [
      'DeepSeek gateway',
      openai(400, { message: 'Input token exceed the limit', code: 'quota_limit_reached' }),
      input(),
    ],
    [
      'OpenRouter',
      openai(400, {
        message:
          'This endpoint\'s maximum context length is 163840 tokens. However, you requested about 171023 tokens (163023 of text input, 8000 in the output). Please reduce the length of either one, or use the "middle-out" transform.',
        code: 400,
      }),
      both(163_840, 171_023),
    ],
    [
      'OpenRouter, the upstream body in metadata',
      openai(400, {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: '{"error":{"message":"prompt is too long: 213462 tokens > 200000 maximum"}}' },
      }),
      input(200_000, 213_462),
    ],
    [
      'Together',
      text("The input (140000 tokens) is longer than the model's context length (131072 tokens).", 422),
      input(131_072, 140_000),
    ],
    [
      'Qwen',
      openai(400, { message: 'Range of input length should be [1, 129024]', code: 'InvalidParameter' }),
      input(129_024),
    ],
    [
      'Moonshot',
      text('Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)'),
      input(262_144, 300_000),
    ],
    ['MiniMax', text('invalid params, context window exceeds limit (2013)'), input()],
    ['GitHub Copilot', text('prompt token count of 130001 exceeds the limit of 128000'), input(128_000, 130_001)],
    ['Cerebras, no body', Object.assign(new Error('400 status code (no body)'), { status: 400 }), input(), 'cerebras'],
    [
      'Cerebras, no body, 413',
      Object.assign(new Error('413 status code (no body)'), { status: 413 }),
      input(),
      'cerebras',
    ],
    [
      'llama.cpp',
      openai(400, {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9_120,
        n_ctx: 8_192,
      }),
      input(8_192, 9_120),
    ],
    [
      'llama.cpp, newer text',
      text('request (9120 tokens) exceeds the available context size (8192 tokens), try increasing it'),
      input(8_192, 9_120),
    ],
    [
      'llama.cpp fork, 500',
      text('the request exceeds the available context size. try increasing the context size', 500),
      input(),
    ],
    [
      'Ollama, no truncation',
      { status_code: 400, error: 'prompt too long; exceeded max context length by 812 tokens' },
      input(),
    ],
    ['Ollama, no shift', new Error('the prompt is longer than the context length currently available'), input()],
    ['Ollama, embedding', new Error('input length exceeds the context length'), input()],
    [
      'vLLM',
      openai(400, {
        message:
          "This model's maximum context length is 2048 tokens. However, your request has 8 input tokens plus 2045 'max_tokens'. Please reduce it.",
        type: 'BadRequestError',
        param: 'input_tokens',
        code: 400,
      }),
      both(2_048, 2_053),
    ],
    [
      'vLLM, older',
      text(
        "This model's maximum context length is 4096 tokens. However, you requested 5096 tokens (5000 in the messages, 96 in the completion).",
      ),
      input(4_096, 5_000),
    ],
    ['vLLM, engine', text('Input prompt (5000 tokens) is too long and exceeds limit of 4096'), input(4_096, 5_000)],
    [
      'vLLM, decoder',
      text('The decoder prompt (length 5000) is longer than the maximum model length of 4096.'),
      input(4_096, 5_000),
    ],
    [
      'SGLang',
      text(
        "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens",
      ),
      both(32_768),
    ],
    [
      'SGLang, input',
      text("Input length (40000) exceeds model's maximum context length (32768)."),
      input(32_768, 40_000),
    ],
    [
      'LM Studio',
      text(
        'Trying to keep the first 8021 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      ),
      input(4_096),
    ],
    [
      'LM Studio, keep',
      text('The number of tokens to keep from the initial prompt is greater than the context length.'),
      input(),
    ],
    ['DS4', text('Prompt has 9000 tokens, but the configured context size is 8192 tokens'), input(8_192, 9_000)],
    [
      'LangChain',
      Object.assign(new Error('Context overflow'), {
        name: 'ContextOverflowError',
        cause: anthropic(400, 'invalid_request_error', 'prompt is too long: 213462 tokens > 200000 maximum'),
      }),
      input(200_000, 213_462),
    ],
    [
      'a proxy on the way',
      Object.assign(new Error('413 Payload Too Large'), { status: 413 }),
      { kind: 'overflow', what: 'bytes' },
    ],
    ['plain text', 'prompt is too long: 213,462 tokens > 200,000 maximum', input(200_000, 213_462)],
  ])('%s', (_name, error, expected, provider) => {
    expect(classifyError(error, provider)).toEqual(expected);
  });
});

describe('classifyError: not overflow', () => {
  it.each<[string, unknown, ProviderError]>([
    [
      'Groq tokens per minute, 413',
      openai(413, {
        message:
          'Request too large for model `llama-3.1-8b-instant` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 8000, Requested 9631, please reduce your message size and try again.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      }),
      { kind: 'rate', shrinkWouldHelp: true },
    ],
    [
      'OpenAI tokens per minute, one request over the limit',
      openai(429, {
        message:
          'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 36055. The input or output tokens must be reduced in order to run successfully.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      }),
      { kind: 'rate', shrinkWouldHelp: true },
    ],
    [
      'OpenAI tokens per minute, waiting helps',
      openai(429, {
        message:
          'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 1.5s.',
        code: 'rate_limit_exceeded',
      }),
      { kind: 'rate', shrinkWouldHelp: false, retryAfterMs: 1_500 },
    ],
    [
      'Anthropic rate limit',
      anthropic(429, 'rate_limit_error', 'Number of requests has exceeded your rate limit', { 'retry-after': '12' }),
      { kind: 'rate', shrinkWouldHelp: false, retryAfterMs: 12_000 },
    ],
    [
      'milliseconds header',
      openai(429, { message: 'slow down' }, { 'retry-after-ms': '250', 'retry-after': '1' }),
      { kind: 'rate', shrinkWouldHelp: false, retryAfterMs: 250 },
    ],
    [
      'minutes in the text',
      openai(429, { message: 'Please try again in 2m30s.' }),
      { kind: 'rate', shrinkWouldHelp: false, retryAfterMs: 150_000 },
    ],
    [
      'a date says nothing without a clock',
      openai(429, { message: 'x' }, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }),
      { kind: 'rate', shrinkWouldHelp: false },
    ],
    [
      'Gemini quota',
      {
        status: 429,
        message:
          '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}',
      },
      { kind: 'rate', shrinkWouldHelp: false, retryAfterMs: 34_000 },
    ],
    [
      'Bedrock throttling',
      Object.assign(new Error('Too many tokens, please wait'), { name: 'ThrottlingException' }),
      { kind: 'rate', shrinkWouldHelp: false },
    ],
    [
      'a 429 that also speaks of the context',
      openai(429, { message: 'prompt is too long: 213462 tokens > 200000 maximum' }),
      { kind: 'rate', shrinkWouldHelp: false },
    ],
    ['Anthropic overloaded', anthropic(529, 'overloaded_error', 'Overloaded'), { kind: 'overloaded' }],
    ['overloaded in mid-stream', anthropic(200, 'overloaded_error', 'Overloaded'), { kind: 'overloaded' }],
    [
      '503 with a wait',
      openai(503, { message: 'The engine is currently busy' }, { 'Retry-After': '3' }),
      { kind: 'overloaded', retryAfterMs: 3_000 },
    ],
    [
      'a bad request',
      anthropic(400, 'invalid_request_error', 'messages: at least one message is required'),
      { kind: 'other', status: 400 },
    ],
    [
      'no key',
      openai(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' }),
      { kind: 'other', status: 401 },
    ],
    [
      'an empty 400 elsewhere',
      Object.assign(new Error('400 status code (no body)'), { status: 400 }),
      { kind: 'other', status: 400 },
    ],
    [
      'an overflow text under a status that cannot be one',
      text('prompt is too long', 401),
      { kind: 'other', status: 401 },
    ],
    [
      'a broken connection',
      Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('read'), { code: 'ECONNRESET' }) }),
      { kind: 'other' },
    ],
    ['nothing', undefined, { kind: 'other' }],
  ])('%s', (_name, error, expected) => {
    expect(classifyError(error)).toEqual(expected);
  });
});

describe('classifyError: wrapping', () => {
  const body = {
    error: { type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' },
  };

  it.each<[string, unknown]>([
    ['AI SDK call error', aiSdk(400, body)],
    [
      'AI SDK body only',
      Object.assign(new Error('Bad Request'), { statusCode: 400, responseBody: JSON.stringify(body) }),
    ],
    [
      'AI SDK retry error',
      Object.assign(new Error('Failed after 3 attempts'), {
        name: 'AI_RetryError',
        lastError: aiSdk(400, body),
        errors: [aiSdk(429, { error: { message: 'rate limit' } })],
      }),
    ],
    ['AggregateError', new AggregateError([new Error('other'), aiSdk(400, body)], 'all failed')],
    ['cause of a cause', new Error('a', { cause: new Error('b', { cause: aiSdk(400, body) }) })],
    ['JSON inside the message', new Error(`400 ${JSON.stringify(body)}`)],
    ['JSON inside JSON', new Error(JSON.stringify({ message: JSON.stringify(body) }))],
  ])('%s', (_name, error) => {
    expect(classifyError(error)).toEqual(input(200_000, 213_462));
  });

  it('survives cycles, hostile getters and endless nesting', () => {
    const cyclic: Record<string, unknown> = { message: 'prompt is too long' };
    cyclic['cause'] = cyclic;
    cyclic['errors'] = [cyclic, [cyclic]];
    expect(classifyError(cyclic)).toEqual(input());
    const hostile = Object.defineProperty({}, 'message', {
      get: () => {
        throw new Error('no');
      },
    });
    expect(classifyError(hostile)).toEqual({ kind: 'other' });
    let deep: Record<string, unknown> = { message: 'prompt is too long' };
    for (let depth = 0; depth < 50; depth++) deep = { cause: deep };
    expect(classifyError(deep)).toEqual({ kind: 'other' });
  });

  it('takes no overflow from a text that is somebody’s content', () => {
    expect(classifyError(new Error(`${'x'.repeat(30_000)} prompt is too long`))).toEqual({ kind: 'other' });
  });

  it.each([
    ['below', 'prompt is too long: 5000 tokens > 999 maximum', input(undefined, 5_000)],
    ['lowest', 'prompt is too long: 5000 tokens > 1000 maximum', input(1_000, 5_000)],
    ['highest', 'prompt is too long: 20,000,001 tokens > 20,000,000 maximum', input(20_000_000, 20_000_001)],
    ['above', 'prompt is too long: 20000002 tokens > 20000001 maximum', input(undefined, 20_000_002)],
    ['dots', 'prompt is too long: 213.462 tokens > 200.000 maximum', input(200_000, 213_462)],
    ['spaces', 'prompt is too long: 213 462 tokens > 200 000 maximum', input(200_000, 213_462)],
    ['underscores', 'prompt is too long: 213_462 tokens > 200_000 maximum', input(200_000, 213_462)],
  ])('reads limits in range and separators: %s', (_name, message, expected) => {
    expect(classifyError(new Error(message))).toEqual(expected);
  });

  it('never throws, whatever is thrown at it', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true }), (value) => {
        expect(['overflow', 'rate', 'overloaded', 'other']).toContain(classifyError(value).kind);
        expect(classifyError({ error: value, headers: value, cause: value, status: value }).kind).toBeTypeOf('string');
      }),
    );
  });
});

describe('isSilentOverflow', () => {
  const fine = {
    reportedTokens: 10_000,
    estimatedTokens: 10_500,
    windowTokens: 32_000,
    stop: 'stop',
    outputTokens: 50,
  };

  it.each([
    ['an ordinary reply', fine, false],
    ['the window was full', { ...fine, stop: 'model_context_window_exceeded' }, true],
    ['the window was full, in a codec’s word', { ...fine, stop: 'window' }, true],
    ['more input than fits', { ...fine, reportedTokens: 32_001 }, true],
    ['the prompt was cut', { ...fine, estimatedTokens: 17_000 }, true],
    ['an estimate a bit too high', { ...fine, estimatedTokens: 16_000 }, false],
    ['a small prompt, badly estimated', { ...fine, reportedTokens: 400, estimatedTokens: 900 }, false],
    ['nothing reported', { estimatedTokens: 17_000, windowTokens: 32_000, stop: 'stop', outputTokens: 5 }, false],
    ['zero reported', { ...fine, reportedTokens: 0 }, false],
    [
      'no room to answer',
      { ...fine, reportedTokens: 31_900, estimatedTokens: 31_000, stop: 'length', outputTokens: 0 },
      true,
    ],
    [
      'no room to answer, in a codec’s word',
      { ...fine, reportedTokens: 31_900, estimatedTokens: 31_000, stop: 'cap', outputTokens: 0 },
      true,
    ],
    ['cut by its own limit', { ...fine, stop: 'length', outputTokens: 4_096 }, false],
    ['an empty cut far from the window', { ...fine, stop: 'length', outputTokens: 0 }, false],
  ])('%s', (_name, reply, expected) => {
    expect(isSilentOverflow(reply)).toBe(expected);
  });
});
