/** The OpenAI error shape and the refusals that are not about one field. */

import type { Problem } from '../problem.ts';
import type { ProfileProblems } from '../profile.ts';

/** `param` and `code` are null on the wire when absent. */
export function invalidRequest(message: string, at: { readonly param?: string; readonly code?: string } = {}): Problem {
  return { status: 400, type: 'invalid_request_error', message, ...at };
}

export function openaiErrorBody({ message, type, param, code }: Problem): object {
  return { error: { message, type, param: param ?? null, code: code ?? null } };
}

export function contextLengthExceeded(inputTokens: number, windowTokens: number): Problem {
  return invalidRequest(
    `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ` +
      `${inputTokens} tokens. Please reduce the length of the messages.`,
    { param: 'messages', code: 'context_length_exceeded' },
  );
}

export const openaiProblems: ProfileProblems = {
  bodyTooLarge: {
    status: 413,
    type: 'invalid_request_error',
    message: 'Request entity too large',
    code: 'request_too_large',
  },
  badJson: invalidRequest(
    'We could not parse the JSON body of your request. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.',
  ),
  noCredentials: {
    status: 401,
    type: 'invalid_request_error',
    message:
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.",
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    message: 'The server is currently overloaded. Please try again later.',
  },
  serverError: { status: 500, type: 'server_error', message: 'The server had an error while processing your request.' },
  rateLimited: (retryAfter) => ({
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: `Rate limit reached.${typeof retryAfter === 'number' ? ` Please try again in ${retryAfter}s.` : ''}`,
    headers: retryAfter === '' ? {} : { 'retry-after': String(retryAfter) },
  }),
  notFound: (method, path) => ({
    status: 404,
    type: 'invalid_request_error',
    message: `Invalid URL (${method} ${path})`,
  }),
  // The SDKs retry a 500; asking a brain again would only hide the mistake.
  brainFailed: (message) => ({ status: 500, type: 'server_error', message, headers: { 'x-should-retry': 'false' } }),
};
