/** Counts what a pure function does to texts: how often it reads a character, looks for one, or cuts a piece out. */

const READING = ['charCodeAt', 'indexOf', 'lastIndexOf', 'startsWith', 'slice', 'trim', 'trimEnd', 'split'] as const;

type Method = (this: string, ...args: readonly unknown[]) => unknown;

export function stepsOf(run: () => unknown): number {
  const prototype = String.prototype as unknown as Record<string, Method>;
  const own = READING.map((name) => [name, prototype[name]] as const);
  let steps = 0;
  for (const [name, method] of own) {
    if (method === undefined) continue;
    prototype[name] = function count(...args) {
      steps += 1;
      return method.apply(this, [...args]);
    };
  }
  try {
    run();
  } finally {
    for (const [name, method] of own) if (method !== undefined) prototype[name] = method;
  }
  return steps;
}
