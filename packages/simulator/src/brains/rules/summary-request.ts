/** Tells a request for a summary of the conversation from a turn of the conversation. */

import type { SimRequest } from '../../brain.ts';
import { parseInstruction } from './grammar.ts';
import { isInjected } from './instruction.ts';
import { bounded } from './text.ts';
import { textParts } from './view.ts';

const SCAN_MAX = 8_000;
const CHAT_MAX = 400;
/** The word as an order: at the start of a sentence, or as what somebody is told to do. */
const ORDER = new RegExp(
  [
    '(?:^|[.!?:;,\\n>*#-]\\s{0,4})(?:\\d{1,2}[.)]\\s{0,2})?(?:please |now |then |first |next |also )*summari[sz]e\\b',
    '\\b(?:to|must|should|you|and|with|for|can|please|will) summari[sz](?:e|ing)\\b',
    '\\b(?:create|creating|write|writing|produce|producing|provide|give|generate|make|return|output|prepare)\\b[^.\\n]{0,80}\\bsummar(?:y|ies)\\b(?!\\.\\w)',
  ].join('|'),
  'i',
);
const OBJECT =
  /\b(?:conversations?|transcripts?|sessions?|history|dialogue|so far|hand-?off|context|messages|above|work|another (?:model|agent|llm))\b/i;
/** A system prompt of an agent may well speak of summaries; one that makes a summariser says so at its beginning. */
const SYSTEM_ORDER =
  /^\W{0,10}(?:summari[sz]e\b|you (?:summari[sz]e|write summaries)\b|(?:create|write|produce) [^.\n]{0,60}\bsummary\b|you are [^.\n]{0,80}\bsummari[sz](?:er|ing)\b|your (?:task|job) is to (?:summari[sz]e\b|(?:create|write|produce) [^.\n]{0,60}\bsummary\b))/i;

export function asksForSummary(request: SimRequest): boolean {
  const asked = lastTexts(request).some(isOrder);
  if (asked) return true;
  if (request.tools.length === 0) return !isShortChat(request);
  return SYSTEM_ORDER.test(request.system);
}

/** The texts of the last message, if it is the user's; what the engine put there asks for nothing. */
function lastTexts(request: SimRequest): string[] {
  const last = request.messages.at(-1);
  return last?.role === 'user' ? textParts(last).filter((text) => !isInjected(text)) : [];
}

/** A list of steps may have a summary among them; it is a task all the same. */
function isOrder(text: string): boolean {
  if (!orders(text)) return false;
  return !parseInstruction(bounded(text, SCAN_MAX)).actsAtOnce;
}

function orders(text: string): boolean {
  const scanned = bounded(text, SCAN_MAX);
  return ORDER.test(scanned) && OBJECT.test(scanned);
}

/** Without tools, one short message is small talk and anything longer a transcript. */
function isShortChat({ messages, system }: SimRequest): boolean {
  const texts = messages.flatMap(textParts);
  return messages.length === 1 && texts.join('').length <= CHAT_MAX && !SYSTEM_ORDER.test(system);
}
