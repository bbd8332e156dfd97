/**
 * The free layers of the teaching system, ported line by line from its text to messages that know where they came from. It shares nothing with
 * the engine, and keeps the teaching system's faults.
 */

export interface TaughtResult {
  readonly id: number;
  chars: number;
  state: 'whole' | 'persisted' | 'compacted';
}

export interface TaughtMessage {
  readonly id: number;
  readonly role: 'user' | 'assistant';
  readonly hasCalls: boolean;
  readonly results: readonly TaughtResult[];
  /** Set on the placeholder of a snip. */
  readonly snipped?: number;
}

const MAX_MESSAGES = 50;
const KEEP_RECENT_TOOL_RESULTS = 3;
const PLACEHOLDER = '[Earlier tool result compacted. Re-run if needed.]';
const MAX_BYTES = 200_000;
/** `<persisted-output>` marker and a preview of 2,000 characters. */
const PERSISTED_CHARS = 2_100;

const isToolResult = (message: TaughtMessage | undefined): boolean => message !== undefined && message.role === 'user' && message.results.length > 0;

export function toolResultBudget(messages: readonly TaughtMessage[]): readonly TaughtMessage[] {
  const blocks = messages.at(-1)?.results ?? [];
  const total = (): number => blocks.reduce((sum, block) => sum + block.chars, 0);
  const ranked = [...blocks].sort((a, b) => b.chars - a.chars);
  for (const block of ranked) {
    if (total() <= MAX_BYTES) break;
    block.chars = PERSISTED_CHARS;
    block.state = 'persisted';
  }
  return messages;
}

export function snipCompact(messages: readonly TaughtMessage[]): readonly TaughtMessage[] {
  if (messages.length <= MAX_MESSAGES) return messages;
  let headEnd = 3;
  let tailStart = messages.length - (MAX_MESSAGES - 3);
  if (messages[headEnd - 1]?.hasCalls === true) while (headEnd < messages.length && isToolResult(messages[headEnd])) headEnd += 1;
  if (isToolResult(messages[tailStart]) && messages[tailStart - 1]?.hasCalls === true) tailStart -= 1;
  const placeholder: TaughtMessage = { id: -1, role: 'user', hasCalls: false, results: [], snipped: tailStart - headEnd };
  return [...messages.slice(0, headEnd), placeholder, ...messages.slice(tailStart)];
}

export function microCompact(messages: readonly TaughtMessage[]): readonly TaughtMessage[] {
  const results = messages.flatMap((message) => message.results);
  if (results.length <= KEEP_RECENT_TOOL_RESULTS) return messages;
  for (const block of results.slice(0, -KEEP_RECENT_TOOL_RESULTS)) {
    if (block.chars <= 120) continue;
    block.chars = PLACEHOLDER.length;
    block.state = 'compacted';
  }
  return messages;
}
