/** A long session with needles in its beginning: the calls to replay, and after which of them a compaction is asked for. */
import type { RecordedSession } from '@holdover/lab';
import type { Message, Needle, Random } from './needle.ts';
import type { Needles } from './make.ts';

export interface Story {
  readonly name: string;
  readonly messages: readonly Message[];
  readonly needles: readonly Needle[];
  /** Lengths of the history after which a compaction is asked for, ascending; the first is behind the last needle. */
  readonly epochs: readonly number[];
}

/** Compactions in a row. */
export const EPOCHS = 10;

const hasCalls = ({ content }: Message): boolean => content.some(({ type }) => type === 'tool_use');
const hasResults = ({ content }: Message): boolean => content.some(({ type }) => type === 'tool_result');

/** Ids of calls are numbered anew in each recording. */
function renamed(messages: readonly Message[], tag: string): readonly Message[] {
  return JSON.parse(JSON.stringify(messages).replaceAll('toolu_', `toolu_${tag}_`)) as Message[];
}

/** Several recordings as one session. */
export function joined(sessions: readonly RecordedSession[]): readonly Message[] {
  return sessions.flatMap(({ messages }, index) => renamed(messages as readonly Message[], `p${index}`));
}

/** Where a message may be put in front of: rounds of the model's between two rounds, exchanges of the user's at its turns. */
function placesFor(messages: readonly Message[], until: number, kind: 'round' | 'exchange'): readonly number[] {
  const places: number[] = [];
  for (let index = 1; index < until; index += 1) {
    const [before, here] = [messages[index - 1], messages[index]];
    if (before === undefined || here === undefined) continue;
    const isRound = before.role === 'user' && hasResults(before) && here.role === 'assistant';
    const isTurn = here.role === 'user' && !hasResults(here) && before.role === 'assistant' && !hasCalls(before);
    if (kind === 'round' ? isRound : isTurn) places.push(index);
  }
  return places;
}

export function createStory(
  name: string,
  messages: readonly Message[],
  { needles, random }: { readonly needles: Needles; readonly random: Random },
): Story {
  const segment = Math.floor(messages.length / (EPOCHS + 1));
  const put = new Map<number, Message[]>();
  const putAll = (list: readonly Needle[], kind: 'round' | 'exchange'): void => {
    const places = placesFor(messages, segment, kind);
    for (const needle of list) {
      // A session may begin with the user's word on everything.
      const at = places.length === 0 ? 0 : random.pick(places);
      put.set(at, [...(put.get(at) ?? []), ...needle.messages]);
    }
  };
  putAll(needles.user, 'exchange');
  putAll(needles.rounds, 'round');
  const planted = messages.flatMap((message, index) => [...(put.get(index) ?? []), message]);
  const added = planted.length - messages.length;
  const epochs = Array.from({ length: EPOCHS }, (_, index) => added + segment * (index + 1));
  return { name, messages: planted, needles: [...needles.user, ...needles.rounds], epochs };
}
