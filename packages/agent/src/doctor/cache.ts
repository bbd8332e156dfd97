/** Whether the prompt cache works: the same beginning twice, and what the second request read of it. Costs money. */
import type { Provider } from '../providers/provider.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** Above every vendor's minimum, of which the largest is 4,096 tokens: about 5,000. */
const PREFIX = 'The quick brown fox jumps over the lazy dog. '.repeat(500);

/** What the check sends, tokens, for telling the user before. */
export const CACHE_CHECK_TOKENS = 10_000;

const MAX_OUTPUT_TOKENS = 64;

export interface CacheQuestion {
  readonly provider: Provider;
  readonly model: string;
  readonly signal: AbortSignal;
}

interface Cached {
  readonly isReported: boolean;
  readonly readTokens: number;
}

async function sendOnce({ provider, model, signal }: CacheQuestion): Promise<Cached> {
  const { codec } = provider;
  const request = provider.request({
    model,
    system: PREFIX,
    tools: [],
    messages: [],
    maxOutputTokens: MAX_OUTPUT_TOKENS,
  });
  const encoded = codec.encode(request, [provider.userMessage(['Answer with the one word "yes".'])], []);
  const { usage } = codec.reply(await provider.send(encoded, { signal, onText: () => undefined }));
  return { isReported: usage !== undefined, readTokens: usage?.cacheReadTokens ?? 0 };
}

export async function checkCache(question: CacheQuestion): Promise<Finding> {
  try {
    await sendOnce(question);
    const { isReported, readTokens } = await sendOnce(question);
    if (readTokens > 0)
      return ok('cache', `a second request read ${readTokens.toLocaleString('en-US')} tokens from the cache`);
    return warn(
      'cache',
      isReported ? 'a second request read nothing from the cache' : 'the server reports no usage',
      'every request may be billed in full; a server of your own may cache without saying so',
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return fail('cache', `the model did not answer: ${reason.slice(0, 300)}`, 'mend what the message names first');
  }
}
