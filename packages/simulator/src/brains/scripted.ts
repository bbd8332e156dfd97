/** A brain that says what the test wrote down, and complains about every call more or fewer. */

import type { Brain, SimReply, SimReplyPart, SimRequest } from '../brain.ts';
import { SimulatorError } from '../errors.ts';

/** A string is one text part, a part or a list of parts is a reply, a function reads the request first. */
export type ScriptedReply = string | SimReplyPart | readonly SimReplyPart[] | SimReply;
export type ScriptedStep = ScriptedReply | ((request: SimRequest) => ScriptedReply | Promise<ScriptedReply>);

export interface ScriptedBrain extends Brain {
  /** Every request it was asked, the surplus ones too. */
  readonly requests: readonly SimRequest[];
  /** Throws `SimulatorError` with code `steps_left` when steps are left over. */
  assertDone(): void;
}

/**
 * Answers the first call with the first step, and so on. One call too many is answered with status 500 and
 * `unexpected model call`.
 *
 * ```ts
 * const brain = scripted([{ kind: 'call', name: 'ls', input: {} }, (request) => `I saw ${request.messages.length}.`]);
 * ```
 */
export function scripted(steps: readonly ScriptedStep[]): ScriptedBrain {
  const requests: SimRequest[] = [];
  return {
    name: 'scripted',
    requests,
    async reply(request) {
      const index = requests.length;
      requests.push(request);
      const step = steps[index];
      if (step === undefined) {
        throw new SimulatorError(
          'unexpected_call',
          `unexpected model call: call ${index + 1} of a script with ${steps.length} steps`,
        );
      }
      return toReply(typeof step === 'function' ? await step(request) : step);
    },
    assertDone() {
      const left = steps.length - requests.length;
      if (left > 0)
        throw new SimulatorError('steps_left', `${left} of ${steps.length} scripted steps were not asked for`);
    },
  };
}

function toReply(reply: ScriptedReply): SimReply {
  if (typeof reply === 'string') return { parts: [{ kind: 'text', text: reply }] };
  if (isPartList(reply)) return { parts: reply };
  return 'parts' in reply ? reply : { parts: [reply] };
}

function isPartList(reply: SimReplyPart | readonly SimReplyPart[] | SimReply): reply is readonly SimReplyPart[] {
  return Array.isArray(reply);
}
