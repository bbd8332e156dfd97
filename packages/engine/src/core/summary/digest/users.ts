/** What the user said, word for word as long as room allows; older messages by their beginning and address, the oldest by one address. */
import { type Entry, isUserWords } from '../../entry.ts';
import type { History } from '../../history.ts';
import { headOf, tailOf } from '../../layers/marker.ts';
import type { Span } from '../../layers/range-edits.ts';
import { NOTHING, quoted, type Section, shortAddress, shortRange } from './section.ts';

/** A message that stands by its beginning only. */
const HEAD_CHARS = 80;

/** Share of the section a message may take before only its ends stand; of the first message. */
const MESSAGE_SHARE = 0.5;
const FIRST_SHARE = 0.25;

function userText(entry: Entry): string {
  return entry.parts
    .filter(isUserWords)
    .map((part) => (part.kind === 'text' ? part.text : `(${part.kind})`))
    .join('\n');
}

interface Said {
  readonly text: string;
  /** Where the rest is found; '' where the request offers no way to it. */
  readonly address: string;
}

/** Head and tail of a message as one line. */
function ends({ text, address }: Said, chars: number): string {
  const head = headOf(text, Math.ceil(chars / 2));
  const tail = tailOf(text, Math.floor(chars / 2));
  const missing = text.length - head.length - tail.length;
  return `- ${JSON.stringify(head)} (${missing} characters left out) ${JSON.stringify(tail)}${address}`;
}

/** The message as far as `room` goes, or undefined where not even its beginning fits. */
function lineOf(said: Said, room: number, mayFill: number): string | undefined {
  const whole = `- ${JSON.stringify(said.text)}`;
  if (whole.length <= Math.min(room, Math.max(mayFill, HEAD_CHARS))) return whole;
  const most = Math.min(room, mayFill);
  for (let chars = most - 80; chars > HEAD_CHARS * 2; chars = Math.floor(chars * 0.8)) {
    const line = ends(said, chars);
    if (line.length <= most) return line;
  }
  const short = `- ${quoted(said.text, HEAD_CHARS)}${said.text.length > HEAD_CHARS ? said.address : ''}`;
  return short.length <= room ? short : undefined;
}

export interface UsersOptions {
  readonly history: History;
  readonly span: Span;
  readonly offersRecall: boolean;
  readonly isNews: (text: string) => boolean;
  /** Most characters the section may be given: messages that cannot fit are not read. */
  readonly maxChars: number;
}

interface Candidate extends Said {
  readonly entry: number;
}

/** The first of `users` and the newest, as many as may fit, in order; how many between them were not read. */
function candidates(users: readonly number[], options: UsersOptions): { said: readonly Candidate[]; unread: number } {
  const { history, offersRecall, isNews, maxChars } = options;
  const read = (entry: number): readonly Candidate[] => {
    const from = history.at(entry);
    const text = userText(from);
    const address = offersRecall ? ` [${shortAddress(history, { entry, part: firstWords(from) })}]` : '';
    return isNews(text) ? [{ entry, text, address }] : [];
  };
  const said: Candidate[] = [];
  let next = users.length - 1;
  for (let chars = 0; next > 0 && chars <= maxChars; next -= 1) {
    const found = read(users[next] ?? 0);
    said.push(...found);
    chars += found.reduce((sum, { text }) => sum + text.length, 0);
  }
  const first = users[0] === undefined ? [] : read(users[0]);
  return { said: [...first, ...said.reverse()], unread: Math.max(0, next) };
}

/** The newest message of all is carried beside a summary as it is, and not said again. */
export function usersSection(title: string, options: UsersOptions): Section {
  const { history, span, offersRecall, maxChars } = options;
  const users = history.users.filter((user) => user >= span.from && user < span.to && user !== history.newestUser);
  const { said, unread } = candidates(users, options);
  if (said.length === 0) return NOTHING;
  const need = said.reduce((sum, { text }) => sum + JSON.stringify(text).length + 3, title.length);
  return {
    need: Math.min(need, maxChars),
    write(most) {
      const room = Math.min(most, maxChars);
      if (unread === 0 && need <= room)
        return [title, ...said.map(({ text }) => `- ${JSON.stringify(text)}`)].join('\n');
      const older = (count: number, from: number): string => {
        const where = offersRecall ? `, among ${shortRange(history, users[0] ?? 0, from)}` : '';
        return `(${count} older left out${where})`;
      };
      const lines = fitted(said, room - title.length - older(users.length, span.to).length - 1);
      const shown = lines.filter((line) => line !== undefined);
      if (shown.length === 0) return '';
      const missing = said.length - shown.length + unread;
      // The first message stays at its place in front of those that are missing.
      const next = lines.findIndex((line, index) => index > 0 && line !== undefined);
      const note = missing === 0 ? [] : [older(missing, said[next]?.entry ?? span.to)];
      const first = lines[0] === undefined ? [] : [lines[0]];
      return [title, ...first, ...note, ...shown.slice(first.length)].join('\n');
    },
  };
}

/** The line of each message, or undefined where it finds no room. The first says what all is about: it is served first, then the newest. */
function fitted(said: readonly Said[], room: number): readonly (string | undefined)[] {
  const lines: (string | undefined)[] = said.map(() => undefined);
  let left = room;
  const take = (index: number, share: number): boolean => {
    const message = said[index];
    const line = message === undefined ? undefined : lineOf(message, left - 1, Math.floor(room * share));
    lines[index] = line;
    left -= line === undefined ? 0 : line.length + 1;
    return line !== undefined;
  };
  take(0, FIRST_SHARE);
  for (let i = said.length - 1; i > 0; i -= 1) if (!take(i, MESSAGE_SHARE)) break;
  return lines;
}

function firstWords({ parts }: Entry): number {
  return Math.max(0, parts.findIndex(isUserWords));
}
