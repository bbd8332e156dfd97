/** The request of the moment, without messages: what the loop sends, and what is measured between turns. */
import { type LoopOptions, requestOf } from '../loop/run-loop.ts';
import type { Parts } from './parts.ts';

type RequestParts = Pick<LoopOptions, 'tools' | 'model' | 'system' | 'maxOutputTokens' | 'thinking' | 'provider'>;

export function requestPartsOf({ options, provider, settings, choice, tools, system }: Parts): RequestParts {
  const { thinkingTokens } = options;
  const { maxOutputTokens } = settings;
  const request = { provider, tools, model: choice.model, system, maxOutputTokens };
  return thinkingTokens === undefined ? request : { ...request, thinking: { budgetTokens: thinkingTokens } };
}

export function requestNow(parts: Parts): object {
  return requestOf(requestPartsOf(parts));
}
