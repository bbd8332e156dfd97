/** Silent truncation: what a local server leaves of a prompt that does not fit. */

import type { SimMessage, SimPart, SimRequest } from '../brain.ts';
import { MEDIA_TOKENS } from '../tokens/units.ts';
import type { CountTokens } from '../tokens/count.ts';

/** The newest messages that fit into `keptTokens`, the system prompt kept; at least the last message. */
export function keepNewest(request: SimRequest, keptTokens: number, countTokens: CountTokens): SimRequest {
  let left = keptTokens - countTokens(request.system);
  let from = request.messages.length;
  while (from > 0) {
    left -= messageTokens(request.messages[from - 1], countTokens);
    if (left < 0) break;
    from -= 1;
  }
  return { ...request, messages: request.messages.slice(Math.min(from, request.messages.length - 1)) };
}

/** Half of the window and two tokens: what Ollama keeps. */
export function keptAfterTruncation(windowTokens: number): number {
  return Math.min(windowTokens, Math.floor(windowTokens / 2) + 2);
}

function messageTokens(message: SimMessage | undefined, countTokens: CountTokens): number {
  return (message?.parts ?? []).reduce((sum, part) => sum + partTokens(part, countTokens), 0);
}

function partTokens(part: SimPart, countTokens: CountTokens): number {
  if (part.kind === 'media') return MEDIA_TOKENS;
  if (part.kind === 'other') return 0;
  return countTokens(part.kind === 'call' ? part.name + JSON.stringify(part.input) : part.text);
}
