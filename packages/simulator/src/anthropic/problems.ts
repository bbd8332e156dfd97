/** The Anthropic error shape and the refusals that are not about one field. */

import type { Problem } from '../problem.ts';
import type { ProfileProblems } from '../profile.ts';

export function invalidRequest(message: string): Problem {
  return { status: 400, type: 'invalid_request_error', message };
}

export function anthropicErrorBody(problem: Problem, requestId: string): object {
  return { type: 'error', error: { type: problem.type, message: problem.message }, request_id: requestId };
}

export function promptTooLong(inputTokens: number, windowTokens: number): Problem {
  return invalidRequest(`prompt is too long: ${inputTokens} tokens > ${windowTokens} maximum`);
}

export const anthropicProblems: ProfileProblems = {
  bodyTooLarge: { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' },
  badJson: invalidRequest('The request body is not valid JSON'),
  noCredentials: { status: 401, type: 'authentication_error', message: 'x-api-key header is required' },
  overloaded: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
  serverError: { status: 500, type: 'api_error', message: 'Internal server error' },
  rateLimited: (retryAfter) => ({
    status: 429,
    type: 'rate_limit_error',
    message: 'This request would exceed your rate limit. Please try again later.',
    headers: retryAfter === '' ? {} : { 'retry-after': String(retryAfter) },
  }),
  notFound: () => ({ status: 404, type: 'not_found_error', message: 'Not found' }),
  // The SDKs retry a 500; asking a brain again would only hide the mistake.
  brainFailed: (message) => ({ status: 500, type: 'api_error', message, headers: { 'x-should-retry': 'false' } }),
};
