/** Windows, limits and prices of models by id, and what a call costs. Pure; the numbers and their sources are in the data file beside it. */
import type { Usage } from '../core/codec.ts';
import { type CachePrices, UNKNOWN_PRICES } from '../core/prices.ts';
import { MODEL_ROWS, type ModelRow } from './model-facts.data.ts';

/**
 * How a request asks for reasoning: not at all, with a budget of tokens, or with an effort, which the model spends as it sees fit.
 * `adaptive` is Anthropic's form of the last: thinking is switched on and an effort given beside it.
 */
export type ThinkingKind = 'none' | 'budget' | 'adaptive' | 'effort';

/** What an edit of earlier messages does to the reasoning behind it: nothing, the provider drops it, or the request is refused. */
export type ReasoningBinding = 'none' | 'drop' | 'reject';

/** From `aboveTokens` of input on, cache included, every price of the whole request is so many times the normal one. */
export interface PriceCliff {
  readonly aboveTokens: number;
  /** Of input, cache reads and cache writes. */
  readonly inputTimes: number;
  readonly outputTimes: number;
}

/** List prices, USD per million tokens. */
export interface ModelPrice {
  readonly inputUsd: number;
  readonly outputUsd: number;
  /** @default `inputUsd` */
  readonly cacheReadUsd?: number;
  /** A write of the ordinary life. @default `inputUsd`: providers that cache by themselves bill no extra */
  readonly cacheWriteUsd?: number;
  /** A write that lives `longCacheTtlMs`. */
  readonly cacheWriteLongUsd?: number;
  readonly longCacheTtlMs?: number;
  readonly cliffs?: readonly PriceCliff[];
}

/** What is known of one model. */
export interface ModelFacts {
  /** As it was asked for. */
  readonly id: string;
  /** Prompt and reply together. */
  readonly windowTokens: number;
  /** Most tokens of one reply. */
  readonly maxOutputTokens: number;
  /** How a request asks for reasoning. */
  readonly thinking: ThinkingKind;
  /** Absent where no source says so. */
  readonly supportsImages?: boolean;
  /** Absent where no source gives one that holds for exactly this model. */
  readonly price?: ModelPrice;
  /** How long what was cached can be read; where no source says so, the shortest of any provider, 5 minutes. */
  readonly cacheTtlMs: number;
  /** Shorter prompts are not cached. */
  readonly minCacheableTokens?: number;
  /** Absent where no source says so: take it as bound. */
  readonly reasoningBinding?: ReasoningBinding;
  /** Where the numbers are from: addresses. */
  readonly source: string;
  /** The day they were read, `2026-11-30`; empty where there is no source. */
  readonly asOf: string;
  /** True where the window or the output limit is a guess. */
  readonly isAssumed: boolean;
}

/** What a user knows better; members left undefined change nothing. */
export type FactOverrides = {
  readonly [K in keyof Omit<ModelFacts, 'id' | 'source' | 'asOf' | 'isAssumed'>]?: ModelFacts[K] | undefined;
};

/**
 * Window of a model nobody knows: the smallest of the hosted models in the table. Too small a guess costs an early compaction; too large a one a
 * refused request, or, where the server cuts prompts without a word, the oldest messages.
 */
const UNKNOWN_WINDOW_TOKENS = 128_000;

/** The smallest output limit in the table. */
const UNKNOWN_OUTPUT_TOKENS = 16_384;

const UNKNOWN_TTL_MS = 300_000;

/** Vendor and route are left out, dots and dashes are one: `Anthropic/Claude-Opus-4.6` is `claude-opus-4-6`. */
function normalised(id: string): string {
  const name = id.trim().toLowerCase().split('/').at(-1) ?? '';
  return name.replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '').replaceAll('.', '-');
}

/** What may follow an id and name the same model: a date, or that it is the newest. */
const SAME_MODEL = /^(?:-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|\[1m\])?$/;

interface Match {
  readonly row: ModelRow;
  /** Whether the row speaks of this very model, or of a relative whose price and bindings may differ. */
  readonly isExact: boolean;
  readonly length: number;
}

function matchOf(name: string, row: ModelRow, id: string): Match | undefined {
  const isFamily = id.endsWith('*');
  const prefix = normalised(isFamily ? id.slice(0, -1) : id);
  if (!name.startsWith(prefix)) return undefined;
  const rest = name.slice(prefix.length);
  const isBorder = isFamily || rest === '' || !/^[a-z0-9]/.test(rest);
  if (!isBorder) return undefined;
  return { row, isExact: !isFamily && SAME_MODEL.test(rest), length: prefix.length };
}

/** The row whose id is the longest beginning of the name. */
function find(id: string): Match | undefined {
  const name = normalised(id);
  const matches = MODEL_ROWS.flatMap((row) => row.ids.flatMap((known) => matchOf(name, row, known) ?? []));
  return matches.reduce<Match | undefined>(
    (best, match) => (best === undefined || match.length > best.length ? match : best),
    undefined,
  );
}

/** A cloud that sells a vendor's models at prices of its own names them so. */
function isResold(id: string): boolean {
  return /(?:^|\.)anthropic\./i.test(id);
}

function known(id: string): ModelFacts {
  const match = find(id);
  const fallback = {
    id,
    windowTokens: UNKNOWN_WINDOW_TOKENS,
    maxOutputTokens: UNKNOWN_OUTPUT_TOKENS,
    thinking: 'none',
    cacheTtlMs: UNKNOWN_TTL_MS,
  } as const;
  if (match === undefined) return { ...fallback, source: 'none: unknown model', asOf: '', isAssumed: true };
  const { ids: _, price, reasoningBinding, ...row } = match.row;
  // A relative's price or rule said of this model would be invented.
  const own = match.isExact
    ? { ...(price && !isResold(id) && { price }), ...(reasoningBinding && { reasoningBinding }) }
    : {};
  return { ...fallback, ...row, ...own, isAssumed: !match.isExact || row.maxOutputTokens === undefined };
}

/**
 * Facts of the model `id`, whatever route names it: exact ids and dated ones first, then the nearest relative or family (`isAssumed`, no
 * price), then 128,000 tokens. `overrides` win.
 */
export function modelFacts(id: string, overrides: FactOverrides = {}): ModelFacts {
  const facts = known(id);
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  if (given.length === 0) return facts;
  return {
    ...facts,
    ...Object.fromEntries(given),
    source: `${facts.source}; set by the user: ${given.map(([name]) => name).join(', ')}`,
    isAssumed: facts.isAssumed && overrides.windowTokens === undefined,
  };
}

/** Vendors whose models go by ids of their own. */
export type ModelVendor = 'anthropic' | 'openai';

const VENDOR_IDS: Readonly<Record<ModelVendor, RegExp>> = { anthropic: /^claude-/, openai: /^(?:gpt-\d|o\d)/ };

/** Whose model it can only be, going by its id; undefined for ids that others may use too. */
export function vendorOfModel(id: string): ModelVendor | undefined {
  return (['anthropic', 'openai'] as const).find((vendor) => VENDOR_IDS[vendor].test(id));
}

/** The models of a vendor that are known by name, in the table's order: each line of models from its newest on. */
export function knownModels(vendor: ModelVendor): readonly ModelFacts[] {
  const ids = MODEL_ROWS.flatMap((row) => row.ids).filter((id) => !id.endsWith('*') && vendorOfModel(id) === vendor);
  return ids.map((id) => modelFacts(id));
}

/** USD. */
export interface Cost {
  /** Input that was neither read from a cache nor written to one. */
  readonly inputUsd: number;
  readonly cacheReadUsd: number;
  readonly cacheWriteUsd: number;
  readonly outputUsd: number;
  readonly totalUsd: number;
}

const NO_CLIFF: PriceCliff = { aboveTokens: 0, inputTimes: 1, outputTimes: 1 };

function writePrice({ inputUsd, cacheWriteUsd, cacheWriteLongUsd, longCacheTtlMs }: ModelPrice, ttlMs: number): number {
  const isLong = longCacheTtlMs !== undefined && ttlMs >= longCacheTtlMs;
  return (isLong ? cacheWriteLongUsd : undefined) ?? cacheWriteUsd ?? inputUsd;
}

/**
 * What a call cost by the list; undefined where no price is known. A write is billed by the life `facts.cacheTtlMs` says, so a host that caches
 * for an hour overrides that.
 */
export function costOf(usage: Usage, { price, cacheTtlMs }: ModelFacts): Cost | undefined {
  if (price === undefined) return undefined;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const cliff = (price.cliffs ?? [])
    .filter(({ aboveTokens }) => inputTokens > aboveTokens)
    .reduce((high, next) => (next.aboveTokens > high.aboveTokens ? next : high), NO_CLIFF);
  const freshTokens = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const usd = (tokens: number, perMillion: number, times: number): number => (tokens * perMillion * times) / 1_000_000;
  const inputUsd = usd(freshTokens, price.inputUsd, cliff.inputTimes);
  const cacheReadUsd = usd(cacheReadTokens, price.cacheReadUsd ?? price.inputUsd, cliff.inputTimes);
  const cacheWriteUsd = usd(cacheWriteTokens, writePrice(price, cacheTtlMs), cliff.inputTimes);
  const outputUsd = usd(outputTokens, price.outputUsd, cliff.outputTimes);
  return {
    inputUsd,
    cacheReadUsd,
    cacheWriteUsd,
    outputUsd,
    totalUsd: inputUsd + cacheReadUsd + cacheWriteUsd + outputUsd,
  };
}

/** What the cache charges for a model, as multiples of its input price, by the list; `UNKNOWN_PRICES` where no price is known. */
export function cachePricesOf({ price, cacheTtlMs }: ModelFacts): CachePrices {
  if (price === undefined || price.inputUsd <= 0) return { ...UNKNOWN_PRICES, ttlMs: cacheTtlMs };
  const { inputUsd, outputUsd, cacheReadUsd = inputUsd, cliffs = [] } = price;
  return {
    readTimes: cacheReadUsd / inputUsd,
    writeTimes: writePrice(price, cacheTtlMs) / inputUsd,
    outputTimes: outputUsd / inputUsd,
    ttlMs: cacheTtlMs,
    cliffs: cliffs
      .map(({ aboveTokens, inputTimes }) => ({ aboveTokens, inputTimes }))
      .sort((a, b) => a.aboveTokens - b.aboveTokens),
  };
}
