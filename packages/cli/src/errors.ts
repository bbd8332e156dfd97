/** Errors the command line reports in one line and ends with a status for. */

/**
 * - `bad_setting`: a setting has a value outside its range, or is unknown.
 * - `bad_settings_file`: the settings file cannot be read.
 * - `bad_usage`: flags that do not go together.
 */
export type CliErrorCode = 'bad_setting' | 'bad_settings_file' | 'bad_usage';

export class CliError extends Error {
  readonly code: CliErrorCode;

  constructor(code: CliErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CliError';
    this.code = code;
  }
}
