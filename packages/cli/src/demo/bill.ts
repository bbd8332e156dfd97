/** What the session cost as the provider billed it, beside what sending the whole history each time would have cost. */
import type { Simulator, SimTotals } from '@holdover/simulator';

/** Multiples of the input price: Anthropic's five-minute prompt cache (prompt caching guide, November 2026). */
export const PRICE = { input: 1, cacheWrite: 1.25, cacheRead: 0.1 } as const;

/** Input tokens at full price that cost the same. */
export function equivalents({
  inputTokens,
  cacheReadTokens,
  cacheWriteTokens,
}: Omit<SimTotals, 'requests' | 'outputTokens'>): number {
  const fresh = inputTokens - cacheReadTokens - cacheWriteTokens;
  return Math.round(fresh * PRICE.input + cacheWriteTokens * PRICE.cacheWrite + cacheReadTokens * PRICE.cacheRead);
}

export interface AppendOnlyBill {
  /** The first request over the provider's window, from 1, and its tokens; undefined where none was. */
  readonly died: { readonly request: number; readonly tokens: number } | undefined;
  /** Equivalents of all requests, had the window been large enough and every earlier request been in the cache. */
  readonly equivalents: number;
}

interface CountReply {
  readonly input_tokens: number;
}

/** Asks the provider to count the whole history at each request. `lengths`: its length, in messages, at each of them. */
export async function appendOnlyBill(
  simulator: Simulator,
  session: { readonly history: readonly object[]; readonly lengths: readonly number[]; readonly windowTokens: number },
): Promise<AppendOnlyBill> {
  const record = simulator.requests.findLast(({ body }) => body['tools'] !== undefined);
  const head = { model: record?.body['model'], system: record?.body['system'], tools: record?.body['tools'] };
  const sizes: number[] = [];
  for (const length of session.lengths) {
    const response = await fetch(`${simulator.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'none', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...head, messages: session.history.slice(0, length) }),
    });
    if (!response.ok)
      throw new Error(`the provider did not count ${length} messages: ${response.status} ${await response.text()}`);
    sizes.push(((await response.json()) as CountReply).input_tokens);
  }
  const over = sizes.findIndex((tokens) => tokens > session.windowTokens);
  let before = 0;
  let sum = 0;
  for (const tokens of sizes) {
    sum += before * PRICE.cacheRead + Math.max(0, tokens - before) * PRICE.cacheWrite;
    before = tokens;
  }
  return { died: over < 0 ? undefined : { request: over + 1, tokens: sizes[over] ?? 0 }, equivalents: Math.round(sum) };
}
