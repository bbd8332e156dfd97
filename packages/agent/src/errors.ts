/**
 * The one error class of this package. Thrown for programmer errors only: what a model, a file or a
 * command does wrong is a return value.
 *
 * - `invalid_option`: an option is outside its documented range; the message names it, the value and the range.
 * - `invalid_rule`: a permission rule cannot be read; the message quotes it.
 * - `rules_not_kept`: a rule could not be remembered or forgotten for good; the message says why.
 * - `invalid_workspace`: a workspace root does not exist or is not a folder.
 * - `session_not_found`: no session of that id, or none at all; the message says where it was looked for.
 * - `session_unreadable`: a session file has no header, is in another format, or was not written by this user.
 * - `session_not_written`: the disk did not take what a session was to keep; the message says why, and what was written before is whole.
 * - `session_read_only`: something was to be written to a session that can only be read; the message says why.
 * - `no_key`: a provider was chosen for which the environment holds no key; the message names the variable.
 * - `no_model`: no model is named for a server that has no default.
 * - `archive_unavailable`: the SQLite archive was asked for, and its package is not installed; the message says what to do.
 * - `run_in_progress`: `run` was called while another run of the same agent is under way.
 */
export type AgentErrorCode =
  | 'invalid_option'
  | 'invalid_rule'
  | 'rules_not_kept'
  | 'invalid_workspace'
  | 'session_not_found'
  | 'session_unreadable'
  | 'session_not_written'
  | 'session_read_only'
  | 'no_key'
  | 'no_model'
  | 'archive_unavailable'
  | 'run_in_progress';

export class AgentError extends Error {
  readonly code: AgentErrorCode;

  constructor(code: AgentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AgentError';
    this.code = code;
  }
}
