/** A refusal on its way to the client, before a profile gives it the vendor's shape. */

export interface Problem {
  readonly status: number;
  /** The vendor's error type, such as `invalid_request_error`. */
  readonly type: string;
  readonly message: string;
  /** OpenAI only: the parameter at fault. */
  readonly param?: string;
  /** OpenAI only: the machine-readable code. */
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The first problem that `check` finds, in order. */
export function firstProblem<T>(
  items: readonly T[],
  check: (item: T, index: number) => Problem | undefined,
): Problem | undefined {
  for (const [index, item] of items.entries()) {
    const problem = check(item, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
