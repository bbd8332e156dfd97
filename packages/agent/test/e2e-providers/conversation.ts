/** One conversation, played once without faults and once with: whatever happens on the way, it has to end the same. */
import type { Fault } from '@holdover/simulator';
import { type Format, echo, type Stage, type StageOptions, stageFor } from '../support/stage.ts';

export const WORDS = 'One two three four five six seven eight nine ten eleven twelve.';

/** 30 November 2026, 12:00:00 GMT. */
export const NOON_MS = 1_796_040_000_000;

/** A call, its result, an answer. The call's text is long enough for a stream to break inside its arguments. */
export const CALL = echo('the first of many words that make up a rather long argument', 'call_1');

interface Played extends Stage {
  readonly text: string;
  /** What the user is told while it waits. */
  readonly told: readonly string[];
  readonly statuses: readonly number[];
}

export interface PlayOptions extends Partial<Pick<StageOptions, 'serverTokens' | 'agent'>> {
  readonly format: Format;
  readonly faults: readonly Fault[];
  /** Replies the server gave in vain: each uses up a step of its own. @default none */
  readonly lost?: readonly ('call' | 'words')[];
}

/** Plays it to the end of its two requests. */
export async function play({ format, faults, lost = [], agent, ...rest }: PlayOptions): Promise<Played> {
  const call = lost.filter((kind) => kind === 'call').map(() => CALL);
  const words = lost.filter((kind) => kind === 'words').map(() => WORDS);
  const stage = await stageFor({
    format,
    steps: [...call, CALL, ...words, WORDS],
    faults,
    agent: { ...agent, ports: { random: () => 0, now: () => NOON_MS, ...agent?.ports } },
    ...rest,
  });
  const { text } = await stage.agent.run('Count.');
  const told = stage.events.flatMap((event) => (event.type === 'request-retry' ? [event.reason] : []));
  return { ...stage, text, told, statuses: stage.simulator.requests.map(({ status }) => status) };
}

/** How often the history holds the call: more than once is a reply taken in twice. */
export function callsIn({ agent }: Stage): number {
  return JSON.stringify(agent.context.history()).split('"call_1"').length - 1;
}
