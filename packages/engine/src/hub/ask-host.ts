/** What the host is asked about a summary: whether it may be made, and what to restore beside it. A port that fails is noted, never fatal. */
import { ContextError, reasonOf } from '../core/errors.ts';
import type { SummaryTrigger } from '../core/layers/summary.ts';
import type { StepInput, SummaryTask } from '../core/step-parts.ts';
import type { StateItem } from '../core/summary/state.ts';
import type { AskedState, Gate } from './answers.ts';
import type { Session } from './session.ts';
import { untilAborted } from './until-aborted.ts';

type Signal = AbortSignal | undefined;

/** Gives the items to restore beside a summary, as they are now. */
export type StatePort = (signal: Signal) => Promise<readonly StateItem[]>;

/** The summary that is due: why, and what the caller of `compact` wants kept. */
export interface SummaryPlans {
  readonly trigger: SummaryTrigger;
  readonly focus?: string;
}

/** `block`: why there is to be no summary now. `focus`: what it has to keep besides. */
export interface SummaryOpinion {
  readonly block?: string;
  readonly focus?: string;
}

/** Asked before a summary is made; undefined: no objection. */
export type BeforeSummaryPort = (about: SummaryPlans, signal: Signal) => Promise<SummaryOpinion | undefined>;

export interface HostPorts {
  readonly session: Session;
  readonly state: StatePort | undefined;
  readonly beforeSummary: BeforeSummaryPort | undefined;
}

function failure(port: string, error: unknown): string {
  return `${port}: the host could not be asked: ${reasonOf(error)}`;
}

/** Names the history an answer is about. */
function historyKey({ history }: StepInput): string {
  return history.address(0, history.length);
}

/** The host's word on a summary, asked once for each. An abort rejects. */
export async function askGate(
  ports: HostPorts,
  about: { task: SummaryTask; input: StepInput },
  signal: Signal,
): Promise<Gate> {
  const { session, beforeSummary } = ports;
  const { trigger, focus } = about.task;
  if (beforeSummary === undefined) return {};
  const key = `${trigger} ${historyKey(about.input)} ${focus ?? ''}`;
  const known = session.answers.gates.get(key);
  if (known !== undefined) return known;
  const gate = await untilAborted(
    () => beforeSummary({ trigger, ...(focus === undefined ? {} : { focus }) }, signal),
    signal,
  )
    .then((opinion): Gate => ({ block: opinion?.block, focus: opinion?.focus }))
    .catch((error: unknown): Gate => {
      signal?.throwIfAborted();
      return { note: failure('beforeSummary', error) };
    });
  session.answers.gates.set(key, gate);
  return gate;
}

/** The host's state, asked once for each summary. An abort rejects. */
export async function askState({ session, state }: HostPorts, input: StepInput, signal: Signal): Promise<AskedState> {
  if (state === undefined) return { items: [] };
  const key = historyKey(input);
  const known = session.answers.states.get(key);
  if (known !== undefined) return known;
  const asked = await untilAborted(() => state(signal), signal)
    .then(
      (items): AskedState => ({
        items: items.map(({ name, text, ...rest }) => ({ name: String(name), text: String(text), ...rest })),
      }),
    )
    .catch((error: unknown): AskedState => {
      signal?.throwIfAborted();
      return { items: [], note: failure('state', error) };
    });
  session.answers.states.set(key, asked);
  return asked;
}

/** A summary that was due because the provider had refused the request, and that the host blocked: nothing smaller can be sent. */
export function compactionBlocked(why: string, cause: unknown): ContextError {
  return new ContextError(
    'COMPACTION_BLOCKED',
    `the request is too long for the provider, and the host blocked the summary that would shorten it: ${why}`,
    { cause },
  );
}
