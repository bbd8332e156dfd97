/** What a session has cost so far: tokens as billed, by model, sub-agents and summaries among them, and money where prices are known. */
import { costOf, type ModelFacts, type Receipt, type Usage } from '@holdover/engine';

export interface ModelCost {
  readonly model: string;
  readonly calls: number;
  readonly usage: Usage;
  /** By the list; absent where no price is known. */
  readonly usd?: number;
}

export interface CostReport {
  readonly models: readonly ModelCost[];
  readonly calls: number;
  readonly usage: Usage;
  /** Absent where nothing was asked yet, or the price of any of the models is not known. */
  readonly usd?: number;
  /** Input tokens the same calls would have sent with the whole history each time: an estimate, by the rate of what was billed. */
  readonly appendOnlyTokens: number;
}

/** Totals of one model, as the session log keeps them. */
interface Spent extends Usage {
  readonly calls: number;
  readonly usd: number;
}

export interface CostMeter {
  /** One accepted reply. */
  add(receipt: Receipt): void;
  /** A reply that a writer of summaries was billed for is in the receipt of the turn it was made for. */
  report(): CostReport;
  /** For the session log; `createCostMeter` takes it back. */
  snapshot(): unknown;
}

const NOTHING: Spent = { calls: 0, usd: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
const FIELDS = ['calls', 'usd', 'inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens'] as const;

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}

function sum(one: Spent, other: Spent): Spent {
  return Object.fromEntries(FIELDS.map((field) => [field, one[field] + other[field]])) as unknown as Spent;
}

/** What a log says was spent, read with care. */
function spentOf(stored: unknown): { models: Map<string, Spent>; appendOnlyTokens: number } {
  const models = new Map<string, Spent>();
  if (!isFields(stored)) return { models, appendOnlyTokens: 0 };
  const list = Array.isArray(stored['models']) ? stored['models'] : [];
  for (const item of list) {
    if (!isFields(item) || typeof item['model'] !== 'string') continue;
    const spent = Object.fromEntries(FIELDS.map((field) => [field, amount(item[field])])) as unknown as Spent;
    models.set(item['model'], spent);
  }
  return { models, appendOnlyTokens: amount(stored['appendOnlyTokens']) };
}

/** What the turn was billed: its own usage, and that of the summary written for it, which is counted as fresh input. */
function billed({ usage, summary }: Receipt): readonly { readonly calls: number; readonly usage: Usage }[] {
  const own = usage === undefined ? [] : [{ calls: 1, usage }];
  if (summary === undefined || summary.attempts === 0) return own;
  const { attempts, inputTokens, outputTokens } = summary;
  return [...own, { calls: attempts, usage: { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens } }];
}

/** The whole history in the provider's own tokens: the estimate, corrected by what was billed for the part that was sent. */
function appendOnlyOf({ usage, tokens }: Receipt): number {
  if (usage === undefined) return 0;
  return Math.round((tokens.appendOnly * usage.inputTokens) / Math.max(1, tokens.head + tokens.view));
}

function usageOf({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }: Spent): Usage {
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens };
}

/** Each call is priced by itself: the price of some depends on their size. */
export function createCostMeter(factsOf: (model: string) => ModelFacts, stored?: unknown): CostMeter {
  const spent = spentOf(stored);
  const { models } = spent;
  const hasPrice = (model: string): boolean => factsOf(model).price !== undefined;
  return {
    add(receipt) {
      const facts = factsOf(receipt.model);
      for (const { calls, usage } of billed(receipt)) {
        const usd = costOf(usage, facts)?.totalUsd ?? 0;
        models.set(receipt.model, sum(models.get(receipt.model) ?? NOTHING, { ...usage, calls, usd }));
      }
      spent.appendOnlyTokens += appendOnlyOf(receipt);
    },
    report() {
      const list = [...models].map(([model, { calls, usd, ...usage }]): ModelCost => {
        return { model, calls, usage, ...(hasPrice(model) ? { usd } : {}) };
      });
      const total = [...models.values()].reduce(sum, NOTHING);
      return {
        models: list,
        calls: total.calls,
        usage: usageOf(total),
        ...(list.length > 0 && list.every(({ usd }) => usd !== undefined) ? { usd: total.usd } : {}),
        appendOnlyTokens: spent.appendOnlyTokens,
      };
    },
    snapshot: () => ({
      models: [...models].map(([model, amounts]) => ({ model, ...amounts })),
      appendOnlyTokens: spent.appendOnlyTokens,
    }),
  };
}
