/** Mistakes of the programmer who uses the simulator; what a client does wrong is answered over HTTP instead. */

/**
 * - `invalid_option`: an option is outside its allowed range.
 * - `unexpected_call`: a scripted brain was asked once more than it has steps.
 * - `steps_left`: `assertDone` found steps nobody asked for.
 * - `recording_diverged`: a request does not match the recorded conversation.
 * - `invalid_reply`: a brain returned something that is not a reply.
 */
export type SimulatorErrorCode =
  | 'invalid_option'
  | 'unexpected_call'
  | 'steps_left'
  | 'recording_diverged'
  | 'invalid_reply';

export class SimulatorError extends Error {
  readonly code: SimulatorErrorCode;

  constructor(code: SimulatorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SimulatorError';
    this.code = code;
  }
}
