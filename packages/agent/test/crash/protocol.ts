/** What a process that is going to be killed is given, and what it says of itself. */

export const FORMATS = ['anthropic', 'openai-chat'] as const;
export type Format = (typeof FORMATS)[number];

export const POLICY_NAMES = ['classic', 'economic'] as const;
export type PolicyName = (typeof POLICY_NAMES)[number];

export const ARCHIVES = ['fs', 'sqlite'] as const;

/** Given as JSON in the first argument. */
export interface Part {
  readonly folder: string;
  readonly format: Format;
  readonly policy: PolicyName;
  /** @default 'fs' */
  readonly archive?: (typeof ARCHIVES)[number] | undefined;
  /** Everything the process does follows from it. */
  readonly seed: string;
  /** The session to go on with. @default the newest, or a new one */
  readonly id?: string;
  /** Operations before it ends by itself. */
  readonly ops: number;
}

/** The first messages of a session: how many, and the digest of them in order. */
export interface Beginning {
  readonly length: number;
  readonly digest: string;
}

/** What the session held at one moment when all of it had been written: each write was acknowledged. */
export interface Holding extends Beginning {
  readonly sessionId: string;
  /** Number of the newest group of the ledger; 0 for none. */
  readonly seq: number;
  readonly pins: readonly string[];
}

export type OpName = 'run' | 'compact' | 'undo' | 'rewind' | 'pin' | 'unpin';

/** A line of standard output each. */
export type Saying =
  | { readonly say: 'open' }
  | { readonly say: 'will'; readonly op: OpName; readonly rewoundTo?: Beginning }
  | { readonly say: 'holds'; readonly holding: Holding }
  /** An operation was refused. */
  | { readonly say: 'failed'; readonly op: OpName | 'open'; readonly code: string; readonly message: string }
  | { readonly say: 'end' };
