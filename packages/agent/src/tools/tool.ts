/** The shape of a tool: what the model is told, what a call touches, and running it. */
import type { FileState } from '../file-state/file-state.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** A plain JSON Schema object, sent to the provider as it is. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ToolContext {
  readonly workspace: Workspace;
  /** Aborted when the user interrupts; a tool then returns early with an error text. */
  readonly signal: AbortSignal;
  /** Environment variables commands may see, before secrets are filtered out. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Whether the permission rules let a tool show the file at this workspace-relative path. Searching tools leave
   * out the others. Absent: every file of the workspace may be shown.
   */
  readonly mayRead?: (relativePath: string) => boolean;
  /** What the model has seen of files. Absent: reads are never shortened, and writes are not held against what was read. */
  readonly files?: FileState;
  /** Id of the call being run. Absent: what this call shows cannot be pointed back to. */
  readonly callId?: string;
}

export interface ToolOutput {
  readonly text: string;
  readonly isError: boolean;
  /** Facts for the session log; never sent to the model. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What a call touches. `path` is as the model wrote it, unchecked. */
export type Access =
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'none' };

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Neighbouring calls of one batch whose tools all say so run side by side. @default false */
  readonly isConcurrent?: boolean;
  /** Pure, and never throws: input that `run` will refuse touches nothing. */
  access(input: unknown): readonly Access[];
  /** Expected failures, bad input among them, are outputs with `isError`. */
  run(input: unknown, context: ToolContext): Promise<ToolOutput>;
}

export function failure(text: string, details?: Readonly<Record<string, unknown>>): ToolOutput {
  return details === undefined ? { text, isError: true } : { text, isError: true, details };
}

export function success(text: string, details?: Readonly<Record<string, unknown>>): ToolOutput {
  return details === undefined ? { text, isError: false } : { text, isError: false, details };
}
