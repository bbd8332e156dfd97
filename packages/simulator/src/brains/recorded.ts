/** A brain that plays a recorded conversation back, and stops when the live one leaves it. */

import type { Brain, SimMessage, SimPart, SimReplyPart, SimRequest } from '../brain.ts';
import { SimulatorError } from '../errors.ts';

export interface RecordedOptions {
  /**
   * What the newest user message of a request must share with the record before the next answer is given: everything
   * (`exact`), the calls it answers and how many texts it has (`shape`), or nothing (`none`). @default 'exact'
   */
  readonly compare?: 'exact' | 'shape' | 'none';
}

export interface RecordedBrain extends Brain {
  /** Throws `SimulatorError` with code `steps_left` when answers were not asked for. */
  assertDone(): void;
}

interface Turn {
  /** The user message the answer followed. */
  readonly asked: readonly SimPart[];
  readonly answer: readonly SimPart[];
}

/**
 * The n-th call is answered with the n-th assistant message of `messages`, under the recorded call ids. Only the
 * newest user message is compared, so a client may shorten what lies before it.
 *
 * A divergence or one call too many throws `SimulatorError`, which the server answers with status 500.
 */
export function recorded(messages: readonly SimMessage[], options: RecordedOptions = {}): RecordedBrain {
  const turns = turnsOf(messages);
  const compare = options.compare ?? 'exact';
  let position = 0;
  return {
    name: 'recorded',
    reply(request) {
      const turn = turns[position];
      if (turn === undefined) {
        throw new SimulatorError('unexpected_call', `unexpected model call: the record has ${turns.length} answers`);
      }
      if (compare !== 'none') assertSame(turn.asked, newestUserParts(request), { position, compare });
      position += 1;
      return { parts: turn.answer.flatMap(toReplyPart) };
    },
    assertDone() {
      const left = turns.length - position;
      if (left > 0)
        throw new SimulatorError('steps_left', `${left} of ${turns.length} recorded answers were not asked for`);
    },
  };
}

function turnsOf(messages: readonly SimMessage[]): readonly Turn[] {
  let asked: readonly SimPart[] = [];
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === 'user') asked = message.parts;
    if (message.role === 'assistant') turns.push({ asked, answer: message.parts });
  }
  return turns;
}

function newestUserParts(request: SimRequest): readonly SimPart[] {
  return request.messages.findLast((message) => message.role === 'user')?.parts ?? [];
}

function assertSame(
  expected: readonly SimPart[],
  actual: readonly SimPart[],
  { position, compare }: { readonly position: number; readonly compare: 'exact' | 'shape' },
): void {
  const describe = compare === 'exact' ? (part: SimPart) => JSON.stringify(part) : shapeOf;
  const [want, got] = [expected.map(describe), actual.map(describe)];
  const at = Array.from({ length: Math.max(want.length, got.length) }).findIndex(
    (_, index) => want[index] !== got[index],
  );
  if (at === -1) return;
  throw new SimulatorError(
    'recording_diverged',
    `call ${position + 1} diverged from the record at part ${at + 1} of the newest user message: ` +
      `expected ${clip(want[at])}, got ${clip(got[at])}`,
  );
}

function shapeOf(part: SimPart): string {
  if (part.kind === 'result') return `result of ${part.callId}`;
  return part.kind;
}

const CLIP_CHARS = 200;

function clip(text: string | undefined): string {
  if (text === undefined) return 'nothing';
  return text.length <= CLIP_CHARS ? text : `${text.slice(0, CLIP_CHARS)}…`;
}

/** Parts a model cannot produce are left out. */
function toReplyPart(part: SimPart): readonly SimReplyPart[] {
  return part.kind === 'text' || part.kind === 'thinking' || part.kind === 'call' ? [part] : [];
}
