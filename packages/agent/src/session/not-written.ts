/** What a disk says when it does not take a write, for people. */
import { AgentError } from '../errors.ts';

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const LOCKED: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM']);

/** Whether the place may be read only: nothing that is tried again there will do. */
export function isReadOnlyPlace(error: unknown): boolean {
  return LOCKED.has((error as NodeJS.ErrnoException | undefined)?.code);
}

function adviceFor(error: unknown): string {
  if (FULL.has((error as NodeJS.ErrnoException).code))
    return 'the disk is full; make room and go on: what was written before is whole';
  return isReadOnlyPlace(error) ? 'work in a folder you may write to' : 'what was written before is whole; try again';
}

/** `path` could not be written; `session_not_written`. Errors that are ours already stay what they are. */
export function notWritten(path: string, cause: unknown): AgentError {
  if (cause instanceof AgentError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AgentError('session_not_written', `${path} could not be written (${reason}): ${adviceFor(cause)}`, {
    cause,
  });
}
