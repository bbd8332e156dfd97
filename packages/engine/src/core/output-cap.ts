/** What cut a reply that ended at a limit: its own cap, or something else. */
import type { Usage } from './codec.ts';

/** Output under this share of its cap was not cut by the cap: providers report a few tokens less than they counted. */
const CUT_BY_CAP_RATIO = 0.95;

/**
 * Whether a reply that was cut ended at its own output cap, `maxOutputTokens`: its output reaches 95 % of it. Otherwise the window cut it, which
 * OpenAI's format reports with the same word, or a limit of the server's own. True where the provider reported no usage.
 */
export function wasCutByCap(usage: Pick<Usage, 'outputTokens'> | undefined, maxOutputTokens: number): boolean {
  return usage === undefined || usage.outputTokens >= maxOutputTokens * CUT_BY_CAP_RATIO;
}
