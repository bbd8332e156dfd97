/**
 * What is known of models, as of November 2026: one row for one model, or for several that share every number. A number no source gives is
 * left out. Prices are list prices in USD per million tokens.
 */
import type { ModelPrice, ReasoningBinding, ThinkingKind } from './model-facts.ts';

export interface ModelRow {
  /** Ids as their vendor writes them. `*` at the end: every id that begins so and has no row of its own, which makes it a guess. */
  readonly ids: readonly string[];
  readonly windowTokens: number;
  readonly maxOutputTokens?: number;
  readonly thinking?: ThinkingKind;
  readonly supportsImages?: boolean;
  readonly price?: ModelPrice;
  readonly cacheTtlMs?: number;
  readonly minCacheableTokens?: number;
  readonly reasoningBinding?: ReasoningBinding;
  readonly source: string;
  readonly asOf: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Anthropic: a write costs 1.25 times the input for 5 minutes, 2 times for an hour (prompt caching guide). */
function claudePrice(inputUsd: number, outputUsd: number, cacheReadUsd: number): ModelPrice {
  const writes = { cacheWriteUsd: inputUsd * 1.25, cacheWriteLongUsd: inputUsd * 2, longCacheTtlMs: HOUR_MS };
  return { inputUsd, outputUsd, cacheReadUsd, ...writes };
}

/** OpenAI from 5.6 on: a write costs 1.25 times the input for 30 minutes, 2.5 times for 12 hours (model pages). */
function writtenPrice(inputUsd: number, outputUsd: number, cacheReadUsd: number): ModelPrice {
  const writes = { cacheWriteUsd: inputUsd * 1.25, cacheWriteLongUsd: inputUsd * 2.5, longCacheTtlMs: 12 * HOUR_MS };
  return { inputUsd, outputUsd, cacheReadUsd, ...writes, cliffs: LONG_OPENAI };
}

/** OpenAI from 5.4 on: a prompt over 272,000 tokens doubles input and cache for the whole request, and output is half as dear again. */
const LONG_OPENAI = [{ aboveTokens: 272_000, inputTimes: 2, outputTimes: 1.5 }] as const;

/** xAI: everything doubles (reseller's table; the vendor's page was not at hand). */
const LONG_GROK = [{ aboveTokens: 204_800, inputTimes: 2, outputTimes: 2 }] as const;

const CLAUDE = {
  windowTokens: 1_000_000,
  maxOutputTokens: 128_000,
  thinking: 'adaptive',
  supportsImages: true,
  cacheTtlMs: 5 * MINUTE_MS,
} as const;
const OLD_CLAUDE = { ...CLAUDE, windowTokens: 200_000, maxOutputTokens: 64_000, thinking: 'budget' } as const;
const CLAUDE_PRICES = 'https://platform.claude.com/docs/en/about-claude/pricing';

const ANTHROPIC: readonly ModelRow[] = [
  {
    ids: ['claude-fable-5-2', 'claude-mythos-5-2'],
    ...CLAUDE,
    price: claudePrice(8, 40, 0.2),
    minCacheableTokens: 512,
    reasoningBinding: 'reject',
    source:
      'https://github.com/archid21/rightsize/releases/tag/v0.10.2, https://docs.apiyi.com/news/claude-fable-5-2-launch.md',
    asOf: '2026-11-10',
  },
  {
    ids: ['claude-fable-5-1', 'claude-mythos-5-1'],
    ...CLAUDE,
    price: claudePrice(10, 50, 0.25),
    minCacheableTokens: 512,
    reasoningBinding: 'reject',
    source: CLAUDE_PRICES,
    asOf: '2026-11-01',
  },
  {
    ids: ['claude-fable-5', 'claude-mythos-5'],
    ...CLAUDE,
    price: claudePrice(10, 50, 1),
    minCacheableTokens: 512,
    reasoningBinding: 'none',
    source: CLAUDE_PRICES,
    asOf: '2026-11-01',
  },
  {
    ids: ['claude-opus-5-5'],
    ...CLAUDE,
    price: claudePrice(4, 20, 0.2),
    minCacheableTokens: 512,
    reasoningBinding: 'reject',
    source: 'https://platform.claude.com/docs/zh-CN/models/opus-5-5/overview',
    asOf: '2026-11-01',
  },
  {
    ids: ['claude-opus-5'],
    ...CLAUDE,
    price: claudePrice(5, 25, 0.5),
    minCacheableTokens: 512,
    reasoningBinding: 'none',
    source: 'https://platform.claude.com/docs/en/models/opus-5/overview',
    asOf: '2026-11-01',
  },
  {
    ids: ['claude-opus-4-8'],
    ...CLAUDE,
    price: claudePrice(5, 25, 0.5),
    minCacheableTokens: 1_024,
    reasoningBinding: 'none',
    source: CLAUDE_PRICES,
    asOf: '2026-11-01',
  },
  {
    ids: ['claude-opus-4-7'],
    ...CLAUDE,
    price: claudePrice(5, 25, 0.5),
    minCacheableTokens: 2_048,
    reasoningBinding: 'none',
    source: CLAUDE_PRICES,
    asOf: '2026-11-01',
  },
  {
    ids: ['claude-opus-4-6'],
    ...CLAUDE,
    price: claudePrice(5, 25, 0.5),
    minCacheableTokens: 4_096,
    reasoningBinding: 'none',
    source: CLAUDE_PRICES,
    asOf: '2026-11-01',
  },
  {
    ids: ['claude-opus-4-5'],
    ...OLD_CLAUDE,
    price: claudePrice(5, 25, 0.5),
    minCacheableTokens: 4_096,
    reasoningBinding: 'none',
    source: CLAUDE_PRICES,
    asOf: '2026-11-01',
  },
  {
    ids: ['claude-opus-4-1', 'claude-opus-4'],
    ...OLD_CLAUDE,
    maxOutputTokens: 32_000,
    price: claudePrice(15, 75, 1.5),
    minCacheableTokens: 1_024,
    reasoningBinding: 'none',
    source: CLAUDE_PRICES,
    asOf: '2026-11-01',
  },
  {
    ids: ['claude-sonnet-5-5'],
    ...CLAUDE,
    // The reading price fell from 0.20 on 7 October 2026.
    price: claudePrice(2, 10, 0.1),
    minCacheableTokens: 512,
    reasoningBinding: 'reject',
    source:
      'https://platform.claude.com/docs/zh-CN/models/sonnet-5-5/overview, https://github.com/TheKrush/PromptFuel/releases',
    asOf: '2026-10-16',
  },
  {
    ids: ['claude-sonnet-5'],
    ...CLAUDE,
    price: claudePrice(2, 10, 0.2),
    minCacheableTokens: 1_024,
    reasoningBinding: 'none',
    source: 'https://platform.claude.com/docs/zh-CN/models/sonnet-5/overview',
    asOf: '2026-11-01',
  },
  {
    ids: ['claude-sonnet-4-6'],
    ...CLAUDE,
    price: claudePrice(3, 15, 0.3),
    minCacheableTokens: 1_024,
    reasoningBinding: 'none',
    source: 'https://models.dev/api.json',
    asOf: '2026-08-22',
  },
  {
    ids: ['claude-sonnet-4-5'],
    ...OLD_CLAUDE,
    price: claudePrice(3, 15, 0.3),
    minCacheableTokens: 1_024,
    reasoningBinding: 'none',
    source: 'https://models.dev/api.json',
    asOf: '2026-08-22',
  },
  {
    ids: ['claude-haiku-5-5'],
    ...CLAUDE,
    price: { ...claudePrice(0.1, 0.5, 0.01), cliffs: [{ aboveTokens: 100_000, inputTimes: 5, outputTimes: 5 }] },
    minCacheableTokens: 512,
    reasoningBinding: 'reject',
    source:
      'https://platform.claude.com/docs/en/models/haiku-5-5/overview, https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/claude-5-5',
    asOf: '2026-11-01',
  },
  {
    ids: ['claude-haiku-4-5'],
    ...OLD_CLAUDE,
    price: claudePrice(1, 5, 0.1),
    minCacheableTokens: 4_096,
    reasoningBinding: 'none',
    source: 'https://github.com/BerriAI/litellm model_prices_and_context_window.json',
    asOf: '2026-10-01',
  },
  {
    // The smallest window of any of them; newer ones all think adaptively.
    ids: ['claude-*'],
    ...CLAUDE,
    windowTokens: 200_000,
    maxOutputTokens: 32_000,
    source: CLAUDE_PRICES,
    asOf: '2026-11-01',
  },
];

const GPT = { windowTokens: 1_050_000, maxOutputTokens: 128_000, thinking: 'effort', supportsImages: true } as const;
const GPT_5 = { windowTokens: 400_000, maxOutputTokens: 128_000, thinking: 'effort', supportsImages: true } as const;
const GPT_41 = { windowTokens: 1_047_576, maxOutputTokens: 32_768, thinking: 'none', supportsImages: true } as const;
/** Half an hour from 5.6 on; 5 to 10 minutes without a request before, of which the shorter is what one may count on. */
const NEW_CACHE = { cacheTtlMs: 30 * MINUTE_MS, minCacheableTokens: 1_024 } as const;
const OLD_CACHE = { cacheTtlMs: 5 * MINUTE_MS, minCacheableTokens: 1_024 } as const;
const NOT_CARRIED = { ...OLD_CACHE, reasoningBinding: 'none' } as const;
const MODELS_DEV = { source: 'https://models.dev/api.json', asOf: '2026-08-22' } as const;
const LITELLM = {
  source: 'https://github.com/BerriAI/litellm model_prices_and_context_window.json',
  asOf: '2026-10-01',
} as const;

const OPENAI: readonly ModelRow[] = [
  {
    ids: ['gpt-6.2-sol'],
    ...GPT,
    ...NEW_CACHE,
    price: writtenPrice(2, 10, 0.1),
    reasoningBinding: 'drop',
    source: 'https://developers.openai.com/api/docs/models/gpt-6.2-sol.md',
    asOf: '2026-11-19',
  },
  {
    ids: ['gpt-6.1-sol'],
    ...GPT,
    ...NEW_CACHE,
    price: writtenPrice(2, 10, 0.1),
    reasoningBinding: 'drop',
    source:
      'https://docs.laozhang.ai/en/announcements/gpt-6-1-sol-2026-10, https://wavespeed.ai/zh-CN/llm/openai/gpt-6.1-sol',
    asOf: '2026-10-13',
  },
  {
    ids: ['gpt-6-sol'],
    ...GPT,
    ...NEW_CACHE,
    price: writtenPrice(2, 10, 0.2),
    reasoningBinding: 'drop',
    source: 'https://inference.sh/apps/openai/gpt-6-sol.md, https://runware.ai/docs/models/openai-gpt-6-sol.md',
    asOf: '2026-10-13',
  },
  {
    ids: ['gpt-6.2-astra'],
    ...GPT,
    ...NEW_CACHE,
    price: writtenPrice(8, 40, 0.8),
    reasoningBinding: 'drop',
    source: 'https://vercel.com/ai-gateway/models/gpt-6.2-astra.md',
    asOf: '2026-11-18',
  },
  {
    ids: ['gpt-6-astra'],
    ...GPT,
    ...NEW_CACHE,
    price: writtenPrice(10, 50, 1),
    reasoningBinding: 'drop',
    source: 'https://github.com/BerriAI/litellm/discussions/39633',
    asOf: '2026-09-05',
  },
  { ids: ['gpt-5.6-sol'], ...GPT, ...NEW_CACHE, price: writtenPrice(5, 30, 0.5), ...MODELS_DEV },
  {
    ids: ['gpt-5.6-terra'],
    ...GPT,
    ...NEW_CACHE,
    price: writtenPrice(2, 12, 0.2),
    source: 'https://docs.apiyi.com/live/2026-07/gpt-5-6-terra-luna-price-cut.md',
    asOf: '2026-07-31',
  },
  {
    ids: ['gpt-5.6-luna'],
    ...GPT,
    ...NEW_CACHE,
    price: writtenPrice(0.2, 1.2, 0.02),
    source: 'https://docs.apiyi.com/live/2026-07/gpt-5-6-terra-luna-price-cut.md',
    asOf: '2026-07-31',
  },
  {
    ids: ['gpt-5.5'],
    ...GPT,
    ...NOT_CARRIED,
    price: { inputUsd: 5, outputUsd: 30, cacheReadUsd: 0.5, cliffs: LONG_OPENAI },
    ...MODELS_DEV,
  },
  {
    ids: ['gpt-5.4'],
    ...GPT,
    ...NOT_CARRIED,
    price: { inputUsd: 2.5, outputUsd: 15, cacheReadUsd: 0.25, cliffs: LONG_OPENAI },
    ...MODELS_DEV,
  },
  {
    ids: ['gpt-5', 'gpt-5-codex'],
    ...GPT_5,
    ...NOT_CARRIED,
    price: { inputUsd: 1.25, outputUsd: 10, cacheReadUsd: 0.125 },
    source: 'https://developers.openai.com/api/docs/models/gpt-5-codex',
    asOf: '2026-11-01',
  },
  { ids: ['gpt-5.1', 'gpt-5.2', 'gpt-5.3', 'gpt-5.4-mini', 'gpt-5.4-nano'], ...GPT_5, ...NOT_CARRIED, ...MODELS_DEV },
  { ids: ['gpt-4.1'], ...GPT_41, ...NOT_CARRIED, price: { inputUsd: 2, outputUsd: 8, cacheReadUsd: 0.5 }, ...LITELLM },
  {
    ids: ['gpt-4.1-mini'],
    ...GPT_41,
    ...NOT_CARRIED,
    price: { inputUsd: 0.4, outputUsd: 1.6, cacheReadUsd: 0.1 },
    ...LITELLM,
  },
  {
    ids: ['gpt-4.1-nano'],
    ...GPT_41,
    ...NOT_CARRIED,
    price: { inputUsd: 0.1, outputUsd: 0.4, cacheReadUsd: 0.025 },
    ...LITELLM,
  },
  {
    ids: ['gpt-4o'],
    windowTokens: 128_000,
    maxOutputTokens: 16_384,
    thinking: 'none',
    supportsImages: true,
    ...NOT_CARRIED,
    price: { inputUsd: 2.5, outputUsd: 10, cacheReadUsd: 1.25 },
    ...MODELS_DEV,
  },
  {
    ids: ['o3', 'o4-mini'],
    windowTokens: 200_000,
    maxOutputTokens: 100_000,
    thinking: 'effort',
    ...NOT_CARRIED,
    ...MODELS_DEV,
  },
  { ids: ['gpt-oss-120b'], windowTokens: 131_072, maxOutputTokens: 65_536, thinking: 'effort', ...MODELS_DEV },
];

const GEMINI = { windowTokens: 1_048_576, maxOutputTokens: 65_536, supportsImages: true, thinking: 'effort' } as const;
const DEEPSEEK = { windowTokens: 1_000_000, maxOutputTokens: 384_000, thinking: 'effort' } as const;
const DEEPSEEK_PAGE = {
  source: 'https://api-docs.deepseek.com/zh-cn/quick_start/pricing',
  asOf: '2026-11-01',
} as const;

const OTHERS: readonly ModelRow[] = [
  {
    ids: ['gemini-3.7-flash'],
    ...GEMINI,
    minCacheableTokens: 1_024,
    reasoningBinding: 'none',
    // Launch price, through 31 December 2027.
    price: { inputUsd: 0.75, outputUsd: 3.75, cacheReadUsd: 0.075 },
    source: 'https://github.com/BerriAI/litellm/discussions/36799',
    asOf: '2026-10-01',
  },
  {
    ids: ['gemini-2.5-pro', 'gemini-pro-latest'],
    ...GEMINI,
    minCacheableTokens: 4_096,
    reasoningBinding: 'none',
    price: {
      inputUsd: 1.25,
      outputUsd: 10,
      cacheReadUsd: 0.125,
      cliffs: [{ aboveTokens: 200_000, inputTimes: 2, outputTimes: 1.5 }],
    },
    ...LITELLM,
  },
  { ids: ['gemini-*'], ...GEMINI, ...MODELS_DEV },
  {
    ids: ['grok-4.6', 'grok-4.5'],
    windowTokens: 500_000,
    thinking: 'effort',
    supportsImages: true,
    price: { inputUsd: 2, outputUsd: 6, cacheReadUsd: 0.5, cliffs: LONG_GROK },
    source: 'https://docs.apiyi.com/models/grok-4-6.md, https://github.com/Zoo-Code-Org/Zoo-Code/issues/866',
    asOf: '2026-08-13',
  },
  {
    ids: ['grok-4.3'],
    windowTokens: 1_000_000,
    thinking: 'effort',
    supportsImages: true,
    price: { inputUsd: 1.25, outputUsd: 2.5, cacheReadUsd: 0.2, cliffs: LONG_GROK },
    source: 'https://docs.apiyi.com/en/models/grok-4-3.md',
    asOf: '2026-05-03',
  },
  // Billed in yuan by the time of day: no price in USD holds.
  { ids: ['deepseek-flash', 'deepseek-v4-flash'], ...DEEPSEEK, supportsImages: true, ...DEEPSEEK_PAGE },
  { ids: ['deepseek-v4-pro'], ...DEEPSEEK, supportsImages: false, ...DEEPSEEK_PAGE },
  {
    ids: ['kimi-k3'],
    windowTokens: 1_000_000,
    maxOutputTokens: 131_000,
    price: { inputUsd: 3, outputUsd: 15, cacheReadUsd: 0.3 },
    ...MODELS_DEV,
  },
  { ids: ['kimi-k2.7'], windowTokens: 262_000, maxOutputTokens: 262_000, ...MODELS_DEV },
  {
    ids: ['glm-5.2'],
    windowTokens: 1_000_000,
    maxOutputTokens: 131_000,
    price: { inputUsd: 1.4, outputUsd: 4.4, cacheReadUsd: 0.26 },
    ...MODELS_DEV,
  },
  { ids: ['glm-5.1'], windowTokens: 200_000, maxOutputTokens: 131_000, ...MODELS_DEV },
  { ids: ['mistral-medium'], windowTokens: 262_000, price: { inputUsd: 1.5, outputUsd: 7.5 }, ...MODELS_DEV },
  { ids: ['mistral-large'], windowTokens: 262_000, price: { inputUsd: 0.5, outputUsd: 1.5 }, ...MODELS_DEV },
];

export const MODEL_ROWS: readonly ModelRow[] = [...ANTHROPIC, ...OPENAI, ...OTHERS];
