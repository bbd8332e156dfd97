/** What the looks come to, by kind, and which figures are missed. */
import { type Kind, KINDS } from './needle.ts';
import type { Look } from './play.ts';

/** The user's own words have to be there, always. */
export const MIN_USER = 1;
export const MIN_REST = 0.98;

export interface Played {
  /** Policy and writer. */
  readonly setting: string;
  readonly session: string;
  readonly looks: readonly Look[];
}

export interface Count {
  readonly all: number;
  readonly inView: number;
  readonly byRecall: number;
}

export interface Row {
  readonly setting: string;
  readonly epochs: number;
  readonly counts: Readonly<Record<Kind, Count>>;
  readonly user: Count;
  readonly rest: Count;
  readonly userMessages: number;
  readonly lostWords: readonly string[];
  /** `session: kind, query`, for each that is lost. */
  readonly lost: readonly string[];
}

type Sighted = Look['sightings'][number] & { readonly session: string };

function countOf(list: readonly Sighted[]): Count {
  const of = (found: Sighted['found']): number => list.filter((one) => one.found === found).length;
  return { all: list.length, inView: of('in view'), byRecall: of('by recall') };
}

function rowOf(setting: string, epochs: number, played: readonly Played[]): Row {
  const looks = played.flatMap(({ session, looks: all }) =>
    all.filter((look) => look.epochs === epochs).map((look) => ({ session, ...look })),
  );
  const sighted = looks.flatMap(({ session, sightings }) => sightings.map((one) => ({ session, ...one })));
  const byUser = sighted.filter(({ needle }) => needle.by === 'user');
  return {
    setting,
    epochs,
    counts: Object.fromEntries(
      KINDS.map((kind) => [kind, countOf(sighted.filter(({ needle }) => needle.kind === kind))]),
    ) as Row['counts'],
    user: countOf(byUser),
    rest: countOf(sighted.filter(({ needle }) => needle.by !== 'user')),
    userMessages: looks.reduce((sum, look) => sum + look.userMessages, 0),
    lostWords: looks.flatMap(({ session, lostWords }) => lostWords.map((text) => `${session}: ${text.slice(0, 80)}`)),
    lost: sighted
      .filter(({ found }) => found === 'lost')
      .map(({ session, needle }) => `${session}: ${needle.kind}, ${needle.query}`),
  };
}

export function rowsOf(played: readonly Played[]): readonly Row[] {
  const settings = [...new Set(played.map(({ setting }) => setting))];
  return settings.flatMap((setting) => {
    const own = played.filter((one) => one.setting === setting);
    const epochs = [...new Set(own.flatMap(({ looks }) => looks.map((look) => look.epochs)))];
    return epochs.map((count) => rowOf(setting, count, own));
  });
}

const share = ({ all, inView, byRecall }: Count): number => (all === 0 ? 1 : (inView + byRecall) / all);
const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

/** A line for each figure that is missed. */
export function missed(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ setting, epochs, user, rest, lost, lostWords, userMessages }) => {
    const name = `${setting}, after ${epochs} epochs`;
    return [
      ...(share(user) >= MIN_USER ? [] : [`${name}: needles of the user ${percent(share(user))}, at least 100 %`]),
      ...(lostWords.length === 0
        ? []
        : [
            `${name}: ${lostWords.length} of ${userMessages} messages of the user are lost, the first: ${lostWords[0]}`,
          ]),
      ...(share(rest) >= MIN_REST
        ? []
        : [
            `${name}: the rest ${percent(share(rest))}, at least ${percent(MIN_REST)}; the first lost: ${lost.slice(0, 3).join('; ')}`,
          ]),
    ];
  });
}

function cell(count: Count): string {
  return count.all === 0
    ? '-'
    : `${((100 * count.inView) / count.all).toFixed(0)} / ${(100 * share(count)).toFixed(1)}`;
}

/** Of each kind: percent in view, and in view or by one recall. */
export function table(rows: readonly Row[]): string {
  const titles = ['setting', 'epochs', ...KINDS, 'user', 'rest', 'words'];
  const lines = rows.map(({ setting, epochs, counts, user, rest, userMessages, lostWords }) => [
    setting,
    String(epochs),
    ...KINDS.map((kind) => cell(counts[kind])),
    cell(user),
    cell(rest),
    `${userMessages - lostWords.length}/${userMessages}`,
  ]);
  const all = [titles, ...lines];
  const widths = titles.map((_, column) => Math.max(...all.map((line) => (line[column] ?? '').length)));
  return all
    .map(
      (line) =>
        `${line
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
