/** What a provider's error means for the window: shrink, wait, or neither. */

import type { ProviderError, ReplyFacts } from '../core/provider-error.ts';
import { type OverflowPattern, OVERFLOW_PATTERNS } from './overflow-patterns.ts';

const MAX_DEPTH = 8;
/** Objects and strings looked at in one error; real ones have fewer than 30. */
const MAX_NODES = 200;
/** Longer texts are somebody's content, not an error message. */
const MAX_TEXT_CHARS = 20_000;

const MIN_LIMIT_TOKENS = 1_000;
const MAX_LIMIT_TOKENS = 20_000_000;

/** Properties that hold an error inside an error, or its text, in the SDKs and bodies known as of November 2026. */
const INNER_KEYS: readonly string[] = [
  'lastError',
  'message',
  'error',
  'cause',
  'errors',
  'body',
  'responseBody',
  'data',
  'details',
  'detail',
  'response',
  'metadata',
  'raw',
  'apiMessage',
  'msg',
];
const CODE_KEYS: readonly string[] = [
  'code',
  'type',
  'error_code',
  'errorCode',
  'status',
  'name',
  '__type',
  'stopReason',
];
const STATUS_KEYS: readonly string[] = ['status', 'statusCode', 'httpStatusCode', 'code'];
const HEADER_KEYS: readonly string[] = ['headers', 'responseHeaders'];

const RATE_CODES: ReadonlySet<string> = new Set([
  'rate_limit_exceeded',
  'rate_limit_error',
  'ratelimiterror',
  'rate_limited',
  'insufficient_quota',
  'resource_exhausted',
  'throttlingexception',
  'too_many_requests',
]);
const RATE_TEXT =
  /rate.?limit|too many requests|\bper[ -](?:min|minute|hour|day|second)\b|\b[TR]P[MD]\b|throttl|quota/i;
const SHRINKABLE_RATE_TEXT = /request too large|(?:input|tokens?) .{0,40}must be reduced/i;
const RETRY_TEXT =
  /(?:try again in|"retryDelay":\s*")\s*(?:(?<minutes>\d+)m(?!s))?\s*(?<amount>\d+(?:\.\d+)?)\s?(?<unit>ms|s)\b/i;
const OVERLOADED_CODES: ReadonlySet<string> = new Set([
  'overloaded_error',
  'unavailable',
  'compactionunavailableerror',
]);
const OVERLOADED_STATUSES: ReadonlySet<number> = new Set([503, 529]);

/** Codes that mean overflow by themselves: OpenAI and compatible servers, llama.cpp, LangChain. */
const OVERFLOW_CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'model_context_window_exceeded',
  'contextoverflowerror',
]);
/** Statuses under which an overflow text is believed; 200 is an error body of an older llama.cpp, 500 one of its forks. */
const OVERFLOW_STATUSES: ReadonlySet<number> = new Set([200, 400, 413, 422, 500]);

/** Words for a reply that ended because the window was full, or that the output limit cut. */
const WINDOW_STOPS: ReadonlySet<string> = new Set(['window', 'model_context_window_exceeded']);
const LENGTH_STOPS: ReadonlySet<string> = new Set(['cap', 'length', 'max_tokens', 'max_output_tokens', 'MAX_TOKENS']);
/** Reported input under this share of the estimate means the prompt was cut (Ollama cuts to about half its window). */
const TRUNCATED_RATIO = 0.6;
/** Under this size an estimate is too rough for that. Tokens. */
const TRUNCATED_FROM_TOKENS = 1_000;
/** An empty reply whose input is at least this share of the window had no room left. */
const FULL_RATIO = 0.95;

/** Everything an error says, gathered from all the layers around it. */
interface Evidence {
  readonly texts: string[];
  readonly codes: Set<string>;
  readonly headers: unknown[];
  status: number | undefined;
  limitTokens: number | undefined;
  requestedTokens: number | undefined;
}

/**
 * Reads any thrown value: SDK errors, wrapped errors, bodies, plain text. Rate limits are ruled out first, because
 * some look like overflows (Groq answers 413 for tokens per minute).
 *
 * `provider` is the provider's short name. It only matters for errors without a body, which mean overflow at
 * `cerebras` and nothing elsewhere. Never throws, also not for cyclic or hostile values.
 */
export function classifyError(error: unknown, provider?: string): ProviderError {
  const evidence = gather(error);
  const early = evidence.status === 429 ? undefined : matchPattern(evidence, (row) => row.beforeRates === true);
  if (early !== undefined) return overflow(evidence, early);
  if (isRate(evidence)) {
    const shrinkWouldHelp = evidence.texts.some((text) => SHRINKABLE_RATE_TEXT.test(text));
    return { kind: 'rate', ...retryAfter(evidence), shrinkWouldHelp };
  }
  return (
    readOverflow(evidence, provider) ??
    (isOverloaded(evidence)
      ? { kind: 'overloaded', ...retryAfter(evidence) }
      : { kind: 'other', ...(evidence.status === undefined ? {} : { status: evidence.status }) })
  );
}

/**
 * Whether a reply that came back as a success tells of an overflow: it ended because the window was full, the provider
 * counted more input than fits, it cut the prompt without a word, or it had no room to say anything.
 */
export function isSilentOverflow(reply: ReplyFacts): boolean {
  const { reportedTokens, estimatedTokens, windowTokens, stop } = reply;
  if (stop !== undefined && WINDOW_STOPS.has(stop)) return true;
  if (reportedTokens === undefined || reportedTokens <= 0) return false;
  if (reportedTokens > windowTokens) return true;
  if (estimatedTokens >= TRUNCATED_FROM_TOKENS && reportedTokens < estimatedTokens * TRUNCATED_RATIO) return true;
  const isEmptyCut = stop !== undefined && LENGTH_STOPS.has(stop) && reply.outputTokens === 0;
  return isEmptyCut && reportedTokens >= windowTokens * FULL_RATIO;
}

function isRate(evidence: Evidence): boolean {
  if (evidence.status === 429 || hasCode(evidence, RATE_CODES)) return true;
  return evidence.texts.some((text) => RATE_TEXT.test(text));
}

function isOverloaded(evidence: Evidence): boolean {
  if (OVERLOADED_STATUSES.has(evidence.status ?? 0) || hasCode(evidence, OVERLOADED_CODES)) return true;
  return evidence.texts.some((text) => /\boverloaded\b/i.test(text));
}

function readOverflow(evidence: Evidence, provider: string | undefined): ProviderError | undefined {
  const { status } = evidence;
  const isDeclared = hasCode(evidence, OVERFLOW_CODES);
  if (isDeclared || status === undefined || OVERFLOW_STATUSES.has(status)) {
    const match = matchPattern(evidence, () => true);
    if (match !== undefined) return overflow(evidence, match);
  }
  if (isDeclared) return overflow(evidence, { what: 'input' });
  const isBare = evidence.texts.every((text) => /^(?:\d{3} )?(?:status code )?\(?(?:no body)?\)?$/i.test(text.trim()));
  if (provider === 'cerebras' && isBare && (status === 400 || status === 413))
    return { kind: 'overflow', what: 'input' };
  // Any other 413 is about the size of the body: Anthropic's request_too_large, or a proxy on the way.
  return status === 413 || evidence.codes.has('request_too_large') ? { kind: 'overflow', what: 'bytes' } : undefined;
}

type Groups = Readonly<Record<string, string | undefined>>;

interface Match {
  readonly what: OverflowPattern['what'];
  readonly groups?: Groups | undefined;
}

function matchPattern(evidence: Evidence, wanted: (row: OverflowPattern) => boolean): Match | undefined {
  for (const row of OVERFLOW_PATTERNS) {
    if (!wanted(row)) continue;
    for (const text of evidence.texts) {
      const found = row.pattern.exec(text);
      if (found !== null) return { what: row.what, groups: found.groups };
    }
  }
  return undefined;
}

function overflow(evidence: Evidence, match: Match): ProviderError {
  const { groups = {} } = match;
  const limit = plausible(toNumber(groups['limit']) ?? evidence.limitTokens);
  const input = toNumber(groups['input']);
  // An input that is over the limit by itself is not helped by a smaller reply.
  const isInputAlone = match.what === 'input-and-output' && input !== undefined && limit !== undefined && input > limit;
  const requested = isInputAlone ? input : (requestedBy(groups) ?? evidence.requestedTokens);
  return {
    kind: 'overflow',
    what: isInputAlone ? 'input' : match.what,
    ...(limit === undefined ? {} : { limitTokens: limit }),
    ...(requested === undefined ? {} : { requestedTokens: requested }),
  };
}

function requestedBy(groups: Groups): number | undefined {
  const input = toNumber(groups['input']);
  const output = toNumber(groups['output']);
  const sum = input === undefined || output === undefined ? input : input + output;
  return toNumber(groups['requested']) ?? sum;
}

function plausible(limit: number | undefined): number | undefined {
  return limit !== undefined && limit >= MIN_LIMIT_TOKENS && limit <= MAX_LIMIT_TOKENS ? limit : undefined;
}

/** `200,000`, `200.000`, `200_000`, `200 000` and `200000` are one number. */
function toNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits.replace(/\D/g, ''));
}

function hasCode(evidence: Evidence, codes: ReadonlySet<string>): boolean {
  for (const code of evidence.codes) if (codes.has(code)) return true;
  return false;
}

/** Walks the layers of an error breadth first, so that what lies further out is read first. */
function gather(error: unknown): Evidence {
  const evidence: Evidence = {
    texts: [],
    codes: new Set(),
    headers: [],
    status: undefined,
    limitTokens: undefined,
    requestedTokens: undefined,
  };
  const seen = new Set<unknown>();
  let layer: readonly unknown[] = [error];
  for (let depth = 0; depth <= MAX_DEPTH && layer.length > 0; depth++) {
    const next: unknown[] = [];
    for (const node of layer) {
      if (seen.has(node) || seen.size >= MAX_NODES) continue;
      seen.add(node);
      next.push(...(typeof node === 'string' ? readText(evidence, node) : readObject(evidence, node)));
    }
    layer = next;
  }
  return evidence;
}

/** Keeps a text, and hands back the JSON inside it. */
function readText(evidence: Evidence, text: string): readonly unknown[] {
  if (text.length > MAX_TEXT_CHARS) return [];
  evidence.texts.push(text);
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (start < 0 || end <= start) return [];
  try {
    return [JSON.parse(text.slice(start, end + 1)) as unknown];
  } catch {
    return [];
  }
}

/** Reads one layer's facts, and hands back the layers inside it. */
function readObject(evidence: Evidence, node: unknown): readonly unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return (node as unknown[]).slice(0, MAX_NODES);
  // A retry wrapper also lists its earlier failures; only the last one says why it gave up.
  const last = read(node, 'lastError');
  if (last !== undefined && last !== null) return [last];
  for (const key of CODE_KEYS) addCode(evidence, read(node, key));
  for (const key of HEADER_KEYS) evidence.headers.push(read(node, key));
  evidence.status ??= firstStatus(node) ?? firstStatus(read(node, '$metadata'));
  evidence.limitTokens ??= asCount(read(node, 'n_ctx'));
  evidence.requestedTokens ??= asCount(read(node, 'n_prompt_tokens'));
  return INNER_KEYS.map((key) => read(node, key));
}

function addCode(evidence: Evidence, value: unknown): void {
  if (typeof value === 'string' && value.length <= 100) evidence.codes.add(value.toLowerCase());
}

function firstStatus(node: unknown): number | undefined {
  const values = STATUS_KEYS.map((key) => read(node, key));
  return values.find((value): value is number => typeof value === 'number' && value >= 200 && value <= 599);
}

function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** A property of anything; a getter that throws counts as absent. */
function read(node: unknown, key: string): unknown {
  if (typeof node !== 'object' || node === null) return undefined;
  try {
    return (node as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
}

/**
 * How long to wait: from the headers, else from the text (OpenAI, Groq) or Google's `retryDelay`. A date in
 * `retry-after` is left out, because without a clock it says nothing.
 */
function retryAfter(evidence: Evidence): { retryAfterMs?: number } {
  const ms = duration(header(evidence, 'retry-after-ms'), 1) ?? duration(header(evidence, 'retry-after'), 1_000);
  if (ms !== undefined) return { retryAfterMs: ms };
  for (const text of evidence.texts) {
    const found = RETRY_TEXT.exec(text)?.groups;
    if (found === undefined) continue;
    const minutes = duration(found['minutes'] ?? '0', 60_000) ?? 0;
    return { retryAfterMs: minutes + (duration(found['amount'], found['unit'] === 'ms' ? 1 : 1_000) ?? 0) };
  }
  return {};
}

function duration(amount: string | undefined, unitMs: number): number | undefined {
  if (amount === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(amount)) return undefined;
  return Math.ceil(Number(amount) * unitMs);
}

function header(evidence: Evidence, name: string): string | undefined {
  for (const headers of evidence.headers) {
    const value = readHeader(headers, name);
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return undefined;
}

/** From a `Headers` object or a plain record with names in any case. */
function readHeader(headers: unknown, name: string): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined;
  try {
    if (typeof read(headers, 'get') === 'function') return (headers as { get(name: string): unknown }).get(name);
    const key = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
    return key === undefined ? undefined : read(headers, key);
  } catch {
    return undefined;
  }
}
