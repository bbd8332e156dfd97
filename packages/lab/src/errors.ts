/** What a caller of the lab can do wrong; what is wrong inside a session file is reported beside the session instead. */

/**
 * - `unreadable_session`: the file is in none of the formats the lab reads.
 * - `unknown_policy`, `unknown_prices`: no policy or price list has this name.
 * - `invalid_option`: an option is outside its allowed range.
 */
export type LabErrorCode = 'unreadable_session' | 'unknown_policy' | 'unknown_prices' | 'invalid_option';

export class LabError extends Error {
  readonly code: LabErrorCode;

  constructor(code: LabErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LabError';
    this.code = code;
  }
}
