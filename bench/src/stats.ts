/** Sums over samples. */

/** The value that `share` of the samples do not exceed, by nearest rank; NaN without samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

/** Growth exponent: the slope of the least-squares line through the logarithms, 0 for constant time, 1 for linear. */
export function exponent(points: readonly (readonly [size: number, time: number])[]): number {
  const logs = points.map(([size, time]) => [Math.log(size), Math.log(time)] as const);
  const mean = (index: 0 | 1): number => logs.reduce((sum, point) => sum + point[index], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const across = logs.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  const along = logs.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return across / along;
}

/** Milliseconds `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Milliseconds of `runs` runs of `work`, each after `before`, which is not timed, and a garbage collection. */
export async function timedRuns<T>(runs: number, before: () => T, work: (made: T) => unknown): Promise<number[]> {
  const samples: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const made = before();
    globalThis.gc?.();
    samples.push(await timed(() => work(made)));
  }
  return samples;
}
