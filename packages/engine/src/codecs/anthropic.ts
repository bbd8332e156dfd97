/**
 * Anthropic Messages. Part kinds as of the API's November 2026 reference; a block this codec does not know passes through as an
 * opaque part, the same object. Tool results sit in user messages and come before text there.
 */
import type { Codec, DecodedReply, Head, HeadPart, Patch, Stop, WirePiece } from '../core/codec.ts';
import type { Decoded, Origin, Part, Wire } from '../core/entry.ts';
import { ContextError } from '../core/errors.ts';
import { jsonText } from '../core/json-text.ts';

interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A list that may be read-only, and stays one that may be changed where it is written in place: SDKs ask for those. */
type List<Item> = readonly Item[] | Item[];

interface MessageShape {
  readonly role: string;
  readonly content: string | List<object>;
}

interface ToolShape {
  readonly name?: string;
  readonly input_schema?: { readonly required?: List<string> | null | undefined };
}

/** The part of a Messages request this codec reads; any SDK's request type fits. */
export interface AnthropicRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages?: List<object> | List<MessageShape>;
  readonly system?: string | List<object>;
  readonly tools?: List<object> | List<ToolShape>;
}

/** The part of a Messages reply this codec reads. */
export interface AnthropicReply {
  readonly content: readonly object[];
  readonly stop_reason?: string | null;
  readonly usage?: object | null;
}

/** Of `anthropic`. */
export interface AnthropicOptions {
  /** Sets cache breakpoints on system, tools and the view's stable borders. @default true */
  readonly cache?: boolean;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

const ORIGIN: Readonly<Record<string, Origin>> = { user: 'user', assistant: 'model', system: 'host' };

/** Blocks whose place in the conversation has a meaning of its own: nothing may be put in front of or instead of them. */
const BARRIERS: ReadonlySet<string> = new Set(['compaction', 'tool_addition', 'tool_removal', 'mcp_tool_listing']);

/** Messages at the end that are looked at for the life of the caller's breakpoints. */
const MARKED_TAIL = 4;

/** Messages at the end that are looked at in every request for breakpoints callers set or take away in place. */
const LOOKED_AT_TAIL = 16;

/** Most breakpoints a request may have (prompt caching guide). */
const MAX_BREAKPOINTS = 4;

function invalid(what: string): ContextError {
  return new ContextError('INVALID_REQUEST', `anthropic: ${what}`);
}

function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

function asMessage(message: Wire): Message {
  const { role, content } = message as { role?: unknown; content?: unknown };
  if (typeof role !== 'string' || !Object.hasOwn(ORIGIN, role))
    throw invalid(`role ${JSON.stringify(role)} is not user, assistant or system`);
  if (typeof content === 'string') return { role, content };
  if (!Array.isArray(content) || !content.every(isBlock))
    throw invalid(`content of a ${role} message is neither text nor a list of blocks with a type`);
  return { role, content };
}

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The words in a block of a result: a text, a search result's title, source and texts, a plain-text document. */
function wordsOf(block: Block): string {
  if (block.type === 'search_result') {
    const inner = Array.isArray(block['content']) ? block['content'].filter(isBlock) : [];
    return [text(block['title']), text(block['source']), ...inner.map(wordsOf)]
      .filter((item) => item !== '')
      .join('\n');
  }
  const source = block['source'];
  if (block.type === 'document' && isRecord(source) && source['type'] === 'text') return text(source['data']);
  return text(block['text']);
}

function resultPart(block: Block): Part {
  const content = block['content'];
  const inner = Array.isArray(content) ? content.filter(isBlock) : [];
  const readable =
    typeof content === 'string'
      ? content
      : inner
          .map(wordsOf)
          .filter((item) => item !== '')
          .join('\n');
  return {
    kind: 'result',
    callId: text(block['tool_use_id']),
    text: readable,
    content: content ?? '',
    mediaCount: inner.filter((item) => item.type === 'image' || item.type === 'document').length,
    isError: block['is_error'] === true,
  };
}

function mediaPart(block: Block): Part {
  const source = block['source'];
  const mediaType = isRecord(source) ? text(source['media_type']) : '';
  return { kind: 'media', mediaType: mediaType === '' ? block.type : mediaType, value: block };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const DECODE: Readonly<Record<string, (block: Block) => Part>> = {
  text: (block) => ({ kind: 'text', text: text(block['text']) }),
  tool_use: (block) => ({ kind: 'call', id: text(block['id']), name: text(block['name']), input: block['input'] }),
  tool_result: resultPart,
  thinking: (block) => {
    const thought = text(block['thinking']);
    return { kind: 'reasoning', text: thought, sizeChars: thought.length + text(block['signature']).length };
  },
  redacted_thinking: (block) => ({ kind: 'reasoning', text: '', sizeChars: text(block['data']).length }),
  image: mediaPart,
  document: mediaPart,
};

function decodeBlock(block: Block): Part {
  const decode = Object.hasOwn(DECODE, block.type) ? DECODE[block.type] : undefined;
  return decode?.(block) ?? { kind: 'opaque', name: block.type, value: block, isBarrier: BARRIERS.has(block.type) };
}

function patchedBlock(block: Block, patch: Patch): Block {
  if (patch.becomesText || block.type !== 'tool_result') return { type: 'text', text: patch.text };
  return withoutBreakpoint({ ...block, content: patch.text });
}

function withoutBreakpoint(block: Block): Block {
  if (block['cache_control'] === undefined) return block;
  const { cache_control: _, ...rest } = block;
  return rest as Block;
}

const isResult = (block: Block): boolean => block.type === 'tool_result';

/** Results first: the API wants them so, and a repaired result that became text has to step behind them. */
function resultsFirst(role: string, blocks: readonly Block[]): readonly Block[] {
  if (role !== 'user') return blocks;
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}

function countBreakpoints(items: readonly unknown[]): number {
  let count = 0;
  for (const item of items)
    if (isRecord(item) && item['cache_control'] !== undefined && item['cache_control'] !== null) count += 1;
  return count;
}

/** A breakpoint; the provider wants longer-lived ones in front, so ours live as long as the caller's longest. */
type Mark = Readonly<Record<string, string>>;

function markOf(items: readonly unknown[]): Mark {
  const isLong = items.some(
    (item) => isRecord(item) && isRecord(item['cache_control']) && item['cache_control']['ttl'] === '1h',
  );
  return isLong ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
}

/** Blocks that may carry a breakpoint; thinking may not, nor an empty text. */
function canCarry(block: Block): boolean {
  return block.type !== 'thinking' && block.type !== 'redacted_thinking' && block['text'] !== '';
}

/** A shallow copy of `message` with a breakpoint on its last block that can carry one; the message itself where none can. */
function marked(message: Wire, mark: Mark): Wire {
  const { role, content } = asMessage(message);
  const blocks = blocksOf(content);
  const index = blocks.findLastIndex(canCarry);
  const block = blocks[index];
  if (block === undefined) return message;
  // A spread that adds a member takes fifteen times as long.
  const carrier = Object.assign({}, block, { cache_control: mark });
  return { ...message, role, content: blocks.with(index, carrier) };
}

function isInOrder(role: string, blocks: readonly Block[]): boolean {
  if (role !== 'user') return true;
  let hasOther = false;
  for (const block of blocks) {
    if (!isResult(block)) hasOther = true;
    else if (hasOther) return false;
  }
  return true;
}

/**
 * A message as it is sent: without the caller's breakpoints, which belong to one request while messages are sent again and again, and
 * with results in front. The message itself where that is so already.
 */
function plain(message: Wire): Wire {
  const { role, content } = asMessage(message);
  if (typeof content === 'string') return message;
  const isClean = countBreakpoints(content) === 0 && isInOrder(role, content);
  return isClean ? message : { ...message, role, content: resultsFirst(role, content.map(withoutBreakpoint)) };
}

/** What messages are as they are sent. Those at the front that the newest request had too are not looked at again, the newest few aside. */
function createPlainer(): (messages: readonly Wire[]) => readonly Wire[] {
  let before: readonly Wire[] = [];
  let made: readonly Wire[] = [];
  return (messages) => {
    const known = Math.min(messages.length, before.length) - LOOKED_AT_TAIL;
    let same = 0;
    while (same < known && messages[same] === before[same]) same += 1;
    const next = made.slice(0, same);
    for (let i = same; i < messages.length; i += 1) next.push(plain(messages[i] as Wire));
    [before, made] = [messages, next];
    return next;
  };
}

/** A run of the user's messages whose results do not lead: what stands between them steps behind the last of them. */
function resultsLeading(run: readonly Wire[]): readonly Wire[] {
  const blocks = run.map((message) => blocksOf(asMessage(message).content));
  const last = blocks.findLastIndex((own) => own.some(isResult));
  const others = blocks.slice(0, last).flatMap((own) => own.filter((block) => !isResult(block)));
  if (others.length === 0) return run;
  return run.flatMap((message, index) => {
    const own = blocks[index] ?? [];
    if (index > last) return [message];
    const results = own.filter(isResult);
    const content = index < last ? results : [...results, ...others, ...own.filter((block) => !isResult(block))];
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

function callsTools(message: Wire | undefined): boolean {
  if (message === undefined) return false;
  const { role, content } = asMessage(message);
  return role === 'assistant' && blocksOf(content).some(({ type }) => type === 'tool_use');
}

/** Neighbours of one role are one message to the API, which wants the results that answer calls in front of everything else in it. */
function answersInOrder(messages: readonly Wire[]): readonly Wire[] {
  const isUser = (index: number): boolean => (messages[index] as { role?: unknown } | undefined)?.role === 'user';
  let ordered: Wire[] | undefined;
  for (let from = 0; from < messages.length; from += 1) {
    let to = from + 1;
    if (isUser(from)) while (isUser(to)) to += 1;
    if (to - from > 1 || ordered !== undefined) {
      const run = messages.slice(from, to);
      const next = run.length > 1 && callsTools(messages[from - 1]) ? resultsLeading(run) : run;
      if (next !== run) ordered ??= messages.slice(0, from);
      ordered?.push(...next);
    }
    from = to - 1;
  }
  return ordered ?? messages;
}

function systemBlocks(system: AnthropicRequest['system']): readonly Block[] {
  if (system === undefined || system === '') return [];
  if (typeof system === 'string') return [{ type: 'text', text: system }];
  const blocks: readonly object[] = system;
  return blocks.filter(isBlock);
}

interface Budget {
  left: number;
}

function markedSystem(request: AnthropicRequest, budget: Budget, mark: Mark): object {
  const blocks = systemBlocks(request.system);
  const last = blocks.at(-1);
  if (last !== undefined && budget.left > 0 && countBreakpoints(blocks) === 0) {
    budget.left -= 1;
    return { system: blocks.with(-1, { ...last, cache_control: mark }) };
  }
  const tools = request.tools ?? [];
  const tool = tools.at(-1);
  if (blocks.length > 0 || tool === undefined || budget.left === 0 || countBreakpoints(tools) > 0) return {};
  budget.left -= 1;
  return { tools: tools.with(-1, { ...tool, cache_control: mark }) };
}

/** The messages with at most `left` of the caller's breakpoints, the newest: each request may bring one, and old messages keep theirs. */
function thinned(messages: readonly Wire[], left: number): readonly Wire[] {
  let used = 0;
  const copy = [...messages];
  for (let index = copy.length - 1; index >= 0; index -= 1) {
    const message = copy[index];
    if (message === undefined) continue;
    const { role, content } = asMessage(message);
    const blocks = blocksOf(content);
    const own = countBreakpoints(blocks);
    const fits = used + own <= left && isInOrder(role, blocks);
    if (!fits) copy[index] = plain(message);
    used += fits ? own : 0;
  }
  return copy;
}

interface Borders {
  readonly breakpoints: readonly number[];
  readonly budget: Budget;
  readonly mark: Mark;
}

/** The newest borders first: they are worth most. */
function markedMessages(messages: readonly Wire[], { breakpoints, budget, mark }: Borders): readonly Wire[] {
  const copy = [...messages];
  for (const index of breakpoints.toReversed()) {
    const message = copy[index];
    if (budget.left === 0 || message === undefined) break;
    const next = marked(message, mark);
    if (next === message) continue;
    copy[index] = next;
    budget.left -= 1;
  }
  return copy;
}

const STOP: Readonly<Record<string, Stop>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'calls',
  max_tokens: 'cap',
  model_context_window_exceeded: 'window',
  refusal: 'refusal',
};

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function decodeReply(reply: AnthropicReply): DecodedReply {
  const usage = isRecord(reply.usage) ? reply.usage : undefined;
  const cacheReadTokens = number(usage?.['cache_read_input_tokens']);
  const cacheWriteTokens = number(usage?.['cache_creation_input_tokens']);
  const inputTokens = number(usage?.['input_tokens']) + cacheReadTokens + cacheWriteTokens;
  return {
    message: reply.content.length === 0 ? undefined : { role: 'assistant', content: reply.content },
    usage: usage && { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens: number(usage['output_tokens']) },
    stop: Object.hasOwn(STOP, reply.stop_reason ?? '') ? (STOP[reply.stop_reason ?? ''] ?? 'other') : 'other',
  };
}

function head(request: AnthropicRequest): Head {
  if (typeof request.model !== 'string') throw invalid('model is missing');
  if (!Number.isInteger(request.max_tokens) || request.max_tokens < 1)
    throw invalid(`max_tokens is ${request.max_tokens}, not a whole number from 1`);
  const tools = request.tools ?? [];
  const names = tools.map((tool) => text((tool as { name?: unknown }).name));
  const parts: readonly HeadPart[] = [
    ...systemBlocks(request.system).map((block) => ({ kind: 'system', text: text(block['text']) }) as const),
    ...tools.map((tool, index) => ({ kind: 'tool', name: names[index] ?? '', text: jsonText(tool) }) as const),
  ];
  return {
    model: request.model,
    maxOutputTokens: request.max_tokens,
    texts: parts.map((part) => part.text),
    parts,
    toolNames: names,
  };
}

/** The codec for Anthropic Messages. */
export function anthropic(options: AnthropicOptions = {}): Codec<AnthropicRequest, AnthropicReply> {
  const { cache = true } = options;
  const plainer = createPlainer();
  return {
    name: 'anthropic',
    head,
    messages: (request) => request.messages ?? [],
    decode(message): Decoded {
      const { role, content } = asMessage(message);
      return { origin: ORIGIN[role] ?? 'user', parts: blocksOf(content).map(decodeBlock) };
    },
    canonical(message) {
      const { role, content } = asMessage(message);
      return { role, content: blocksOf(content).map(withoutBreakpoint) };
    },
    patch(message, patches) {
      const { role, content } = asMessage(message);
      const blocks = blocksOf(content).map((block, index) => {
        const patch = patches.get(index);
        return patch === undefined ? block : patchedBlock(block, patch);
      });
      return { ...message, content: resultsFirst(role, blocks) };
    },
    attach(message, texts) {
      const { content } = asMessage(message);
      // Behind results and words alike: text may follow results, never stand in front of them.
      return { ...message, content: [...blocksOf(content), ...texts.map((note) => ({ type: 'text', text: note }))] };
    },
    compose(pieces: readonly WirePiece[]) {
      const content = pieces.flatMap((piece) => {
        if (typeof piece === 'string') return [{ type: 'text', text: piece }];
        const block = blocksOf(asMessage(piece.message).content)[piece.part];
        return block === undefined ? [] : [withoutBreakpoint(block)];
      });
      return { role: 'user', content };
    },
    encode(request, messages, breakpoints) {
      const own = [...systemBlocks(request.system), ...(request.tools ?? []), request];
      if (!cache)
        return { ...request, messages: answersInOrder(thinned(messages, MAX_BREAKPOINTS - countBreakpoints(own))) };
      const bare = plainer(messages);
      const mark = markOf([
        ...own,
        ...messages.slice(-MARKED_TAIL).flatMap((message) => blocksOf(asMessage(message).content)),
      ]);
      const budget = { left: Math.max(0, MAX_BREAKPOINTS - countBreakpoints(own)) };
      return {
        ...request,
        ...markedSystem(request, budget, mark),
        messages: answersInOrder(markedMessages(bare, { breakpoints, budget, mark })),
      };
    },
    withOutputCap: (request, maxOutputTokens) => ({ ...request, max_tokens: maxOutputTokens }),
    reply: decodeReply,
  };
}
