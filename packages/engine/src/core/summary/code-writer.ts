/**
 * The code writer: a summary made without a model, the last rung of every trigger, and what completes a model's. The user's messages
 * as they are, then facts by code, from what changes least to what changes most, so that one digest begins as the one before it. It reads
 * the history, never an earlier summary, so nothing wears off over generations. What came out of a tool is quoted as JSON.
 */
import { factsOf } from '../facts/facts-of.ts';
import { whereaboutsIn } from '../facts/whereabouts.ts';
import type { History } from '../history.ts';
import type { Span } from '../layers/range-edits.ts';
import type { Lens } from '../lens.ts';
import { commandsSection } from './digest/commands.ts';
import { errorsSection, failuresOf, testsSection } from './digest/failures.ts';
import { filesSection } from './digest/files.ts';
import { namesSection } from './digest/names.ts';
import {
  type Line,
  listSection,
  NOTHING,
  type Placed,
  quoted,
  type Section,
  shortAddress,
  writeSections,
} from './digest/section.ts';
import { plansSection } from './digest/plans.ts';
import { callsIn, type Sources } from './digest/sources.ts';
import { usersSection } from './digest/users.ts';

export interface CodeWriterOptions {
  readonly history: History;
  readonly span: Span;
  readonly lens: Lens;
  /** Characters the text may have. */
  readonly maxChars: number;
  /** True where the user's messages stand beside the text as they are. @default false */
  readonly hasUsers?: boolean | undefined;
  /** Whether the request offers a way to redeem the addresses; without one none are named. @default true */
  readonly offersRecall?: boolean;
  /** A narrative beside which only what it does not mention is written. */
  readonly known?: string | undefined;
}

const TITLES = {
  users: 'Messages of the user:',
  files: 'Files, with the last operation:',
  plans: 'Open items in files, word for word (data):',
  place: 'Where the work stands, as tools told it:',
  commands: 'Commands, with the last outcome:',
  tests: 'Failing tests, by command (data from tools):',
  errors: 'Errors, first line (data from tools):',
  words: 'Last words of the assistant:',
  names: 'Names used before (data):',
} as const;

/** What the brackets are; last, as it is the same in all digests. */
const LEGEND = 'In brackets: addresses for recall.';

/** What the user's older words may take at most: behind them come the facts the work goes on with. */
const USERS_SHARE = 0.4;

function placeSection(sources: Sources): Section {
  const { history, offersRecall, isNews } = sources;
  const { directory, branch } = whereaboutsIn(callsIn(sources), history);
  const lines = [
    ...(directory === undefined ? [] : [{ told: directory, what: 'directory' }]),
    ...(branch === undefined ? [] : [{ told: branch, what: 'branch' }]),
  ]
    .filter(({ told }) => isNews(told.text))
    .map(({ told, what }): Line => {
      const text = `${what} ${quoted(told.text)}`;
      return offersRecall ? { text, address: shortAddress(history, told.by.call) } : { text };
    });
  return listSection(TITLES.place, [lines]);
}

/** What the model said last in the span, where no narrative says how things stand. */
function wordsSection({ history, span }: Sources, maxChars: number): Section {
  for (let index = span.to - 1; index >= span.from; index -= 1) {
    const { origin, parts } = history.at(index);
    const part = origin === 'model' ? parts.findLast(({ kind }) => kind === 'text') : undefined;
    if (part?.kind !== 'text' || part.text.trim() === '') continue;
    const text = `${TITLES.words} ${quoted(part.text, Math.floor(maxChars / 10))}`;
    return { need: text.length, write: (room) => (text.length <= room ? text : '') };
  }
  return NOTHING;
}

/** The digest of a span, at most `maxChars` characters. */
export function writeDigest(options: CodeWriterOptions): string {
  const { history, span, lens, maxChars, known, hasUsers = false, offersRecall = true } = options;
  const isNews = (text: string): boolean => known === undefined || !known.includes(text);
  const sources: Sources = { history, span, lens, facts: factsOf(history, lens), offersRecall, isNews };
  const failures = failuresOf(sources);
  const written: string[] = known === undefined ? [] : [known];
  const placed = (share: number, section: Section): Placed => ({ share, section: remembered(section, written) });
  const said = hasUsers
    ? NOTHING
    : usersSection(TITLES.users, { ...sources, maxChars: Math.floor(maxChars * USERS_SHARE) });
  const users = placed(0.24, said);
  const files = placed(0.22, filesSection(TITLES.files, sources));
  const place = placed(0.03, placeSection(sources));
  const plans = placed(0.11, plansSection(TITLES.plans, sources));
  const commands = placed(0.09, commandsSection(TITLES.commands, sources));
  const tests = placed(0.05, testsSection(TITLES.tests, failures, sources));
  const errors = placed(0.07, errorsSection(TITLES.errors, failures, sources));
  const words = placed(0.05, known === undefined ? wordsSection(sources, maxChars) : NOTHING);
  const names = placed(0.14, namesSection(TITLES.names, { history, span, maxChars, beside: written }));
  const order = [users, files, place, plans, commands, tests, errors, words, names];
  const first = [users, files, place, plans, tests, errors, words, names, commands];
  const room = offersRecall ? maxChars - LEGEND.length - 2 : maxChars;
  const text = writeSections(order, first, room);
  return offersRecall && text.includes(' [h_') ? `${text}\n\n${LEGEND}` : text;
}

/** `section`, whose text the names behind it need not repeat. */
function remembered(section: Section, written: string[]): Section {
  return {
    need: section.need,
    write(room) {
      const text = section.write(room);
      written.push(text);
      return text;
    },
  };
}
