/** Numbers as people read them at a glance. */

const grouped = new Intl.NumberFormat('en-US');

export function exact(value: number): string {
  return grouped.format(value);
}

/** Tokens in three characters or so: 950, 4.2k, 168k, 1.2M. */
export function short(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens < 9_950) return `${(tokens / 1_000).toFixed(1)}k`;
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

export function bytes(count: number): string {
  if (count < 1_024) return `${count} B`;
  if (count < 1_024 * 1_024) return `${(count / 1_024).toFixed(count < 10_240 ? 1 : 0)} KB`;
  return `${(count / 1_024 / 1_024).toFixed(1)} MB`;
}

/** US dollars; small sums with the digits that say something. */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 0.995 ? 3 : 2)}`;
}

/** The same for a part of one call, which may be a fraction of a cent: two digits that say something. */
export function smallDollars(usd: number): string {
  if (usd === 0 || usd >= 0.0995) return dollars(usd);
  return `$${usd.toFixed(Math.min(8, 1 - Math.floor(Math.log10(usd))))}`;
}

export function plural(count: number, word: string): string {
  return `${exact(count)} ${word}${count === 1 ? '' : 's'}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago, in one unit; the date from a month on. */
export function ago(atMs: number, nowMs: number): string {
  const passedMs = Math.max(0, nowMs - atMs);
  if (passedMs < MINUTE_MS) return 'just now';
  if (passedMs < HOUR_MS) return `${Math.floor(passedMs / MINUTE_MS)} min ago`;
  if (passedMs < DAY_MS) return `${Math.floor(passedMs / HOUR_MS)} h ago`;
  if (passedMs < 30 * DAY_MS) return `${plural(Math.floor(passedMs / DAY_MS), 'day')} ago`;
  return new Date(atMs).toISOString().slice(0, 10);
}

/** A span of time in whole seconds, one at least. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
