/** Ids from counters, so that two runs of one test see the same bytes. */

export interface Ids {
  /** `prefix`, the run's own `tag` and a number of six digits, counted per prefix: `msg_sim_000001`. */
  next(prefix: string): string;
}

export function createIds(tag = ''): Ids {
  const counts = new Map<string, number>();
  return {
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return prefix + tag + String(count).padStart(6, '0');
    },
  };
}
