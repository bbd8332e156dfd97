/** The prefixes a provider remembers, each with its own time to live. */

export interface CacheStore {
  /** True when the prefix is remembered and not expired. A hit starts its time to live again. */
  touch(prefixHash: string): boolean;
  put(prefixHash: string, ttlMs: number): void;
}

interface Entry {
  ttlMs: number;
  expiresAtMs: number;
}

const SWEEP_ENTRIES = 200_000;

export function createCacheStore(now: () => number): CacheStore {
  const entries = new Map<string, Entry>();
  return {
    touch(prefixHash) {
      const entry = entries.get(prefixHash);
      if (entry === undefined) return false;
      if (entry.expiresAtMs <= now()) {
        entries.delete(prefixHash);
        return false;
      }
      entry.expiresAtMs = now() + entry.ttlMs;
      return true;
    },
    put(prefixHash, ttlMs) {
      if (entries.size >= SWEEP_ENTRIES) sweep(entries, now());
      const known = entries.get(prefixHash);
      const longest = known !== undefined && known.expiresAtMs > now() ? Math.max(known.ttlMs, ttlMs) : ttlMs;
      entries.set(prefixHash, { ttlMs: longest, expiresAtMs: now() + longest });
    },
  };
}

function sweep(entries: Map<string, Entry>, nowMs: number): void {
  for (const [hash, entry] of entries) {
    if (entry.expiresAtMs <= nowMs) entries.delete(hash);
  }
}
