/** Answers a query from the texts of a history: a linear scan, which takes milliseconds for megabytes and has no index to keep true. */
import type { SearchFilters } from '../recalled.ts';
import { isPathOf, readQuery } from './query.ts';
import { FILE_REACH, MATCH_REACH, type SelectOptions, type Selection, select } from './select.ts';
import type { Source } from './sources.ts';
import { type Candidate, weighFile, weighMatches } from './weigh.ts';

export interface Found {
  /** Best first. */
  readonly selections: readonly Selection[];
  /** What matches too. */
  readonly omitted: number;
}

export interface SearchOptions
  extends Omit<SelectOptions, 'reach'>,
    Pick<SearchFilters, 'path' | 'tool' | 'since' | 'until'> {
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

function within(sources: readonly Source[], { path, tool, since = 0, until }: SearchOptions): readonly Source[] {
  const asked = path === undefined ? undefined : readQuery(path).phrase;
  return sources.filter(({ place, ...source }) => {
    if (place.entry < since || place.entry >= (until ?? Number.POSITIVE_INFINITY)) return false;
    return (
      (tool === undefined || source.tool === tool) &&
      (asked === undefined || source.paths.some((name) => isPathOf(name, asked)))
    );
  });
}

/** A query that names a file, and nothing else, asks for the file; with other words, for what they find in it, or anywhere if it is nowhere there. */
function candidatesOf(query: string, newest: readonly Source[]): { candidates: readonly Candidate[]; reach: number } {
  const asked = readQuery(query);
  const reach = MATCH_REACH;
  if (asked.terms.length === 0) return { candidates: [], reach };
  const about = newest.filter(({ paths }) => asked.paths.some((name) => paths.some((path) => isPathOf(path, name))));
  if (about.length === 0) return { candidates: weighMatches(newest, asked), reach };
  if (asked.others === '') return { candidates: weighFile(about), reach: FILE_REACH };
  const isAbout = new Set(about);
  // What the user said of a file is no source about it.
  const told = newest.filter((source) => isAbout.has(source) || source.kind === 'asked');
  const inFile = weighMatches(told, readQuery(asked.others));
  return { candidates: inFile.length > 0 ? inFile : weighMatches(newest, asked), reach };
}

/** `sources` oldest first. A secret is looked for in the whole of a text: in a few lines of it, half of one may look like nothing. */
export function search(query: string, sources: readonly Source[], options: SearchOptions): Found {
  const newest = within(sources, options).toReversed();
  const choose = (from: readonly Source[]): { selections: readonly Selection[]; total: number } => {
    const { candidates, reach } = candidatesOf(query, from);
    const unseen = select(candidates, { ...options, reach });
    // What stands in view too is better than nothing.
    const selections = unseen.length > 0 ? unseen : select(candidates, { ...options, reach, isSeen: () => false });
    return { selections, total: candidates.length };
  };
  const { selections, total } = choose(newest);
  const cleaned = new Map(selections.map(({ source }) => [source, clean(source, options)]));
  const hasSecrets = [...cleaned].some(([source, clear]) => clear !== source);
  if (!hasSecrets) return { selections, omitted: total - selections.length };
  // Only among these: what else matched may hold secrets too.
  const shown = choose(newest.flatMap((source) => cleaned.get(source) ?? [])).selections;
  return { selections: shown, omitted: total - shown.length };
}

function clean(source: Source, { redact }: SearchOptions): Source {
  const text = redact(source.text);
  return text === source.text ? source : { ...source, text };
}
