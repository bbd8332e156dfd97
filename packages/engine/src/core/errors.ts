/** The one error class of the engine: a documented code to branch on, a message for people, the cause kept. */

/** What went wrong. Each code says when it is thrown and what to do next. */
export type ContextErrorCode =
  /** An option or model fact is outside its range; the message names it, its value and the range. Fix the call. */
  | 'INVALID_OPTION'
  /** The request cannot be read in this wire format; the message names the place. Fix the request; nothing changed. */
  | 'INVALID_REQUEST'
  /** The engine's own output failed its proof and was not used. The old view still stands: report it, or send as is. */
  | 'INVARIANT_BROKEN'
  /** The archive holds other bytes under this address. Nothing was overwritten: give each tenant its own archive. */
  | 'ARCHIVE_CONFLICT'
  /** The archive could not read or write (`cause` says why), or what it holds is damaged. Repair it, then try again. */
  | 'ARCHIVE_FAILED'
  /** System, tools and one capped round do not fit. Use fewer tools, a shorter system prompt or a larger window. */
  | 'WINDOW_EXHAUSTED'
  /** The window refills right after every forced compaction. The message says what fills it: make that smaller. */
  | 'THRASHING'
  /** The provider refused the request for its size (`cause`) and `beforeSummary` blocked the summary. Allow it, or rewind; nothing changed. */
  | 'COMPACTION_BLOCKED'
  /** The model's provider refuses reasoning behind anything but what it was thought behind, and `undo` or `redo` would change that. Rewind instead; nothing changed. */
  | 'REASONING_BOUND'
  /** The snapshot is damaged or from a newer version. Start from the messages, or read it with that version. */
  | 'SNAPSHOT_UNREADABLE'
  /** `accept` or `fail` was called twice on one turn, or after a newer turn. Settle each turn once; prepare again. */
  | 'TURN_SETTLED'
  /** Recall was asked for an address this session never issued. Use an address copied whole from a marker in view. */
  | 'UNKNOWN_ADDRESS';

/** Every error the engine throws on purpose. `code` is stable; the wording of `message` is not. */
export class ContextError extends Error {
  readonly code: ContextErrorCode;

  constructor(code: ContextErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ContextError';
    this.code = code;
  }
}

/** What a thrown value says, whatever it is: other people's code may throw anything. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return 'something that has no words was thrown';
  }
}
