/** What a query asks for: a file, names or words, or a text as it stands, in all texts or in some. */
import type { SearchFilters } from '../recalled.ts';

export interface Query {
  /** The whole query in lower case: a line that holds it all comes before others. */
  readonly phrase: string;
  /** Its words in lower case, without the punctuation around them. */
  readonly terms: readonly string[];
  /** The words that may name a file, as paths with `/`. */
  readonly paths: readonly string[];
  /** The words that cannot, with blanks between. */
  readonly others: string;
}

/** A query as it is typed: filters stand in it as `path:src/a.ts tool:bash since:40 until:90`. */
export interface TypedQuery {
  readonly text: string;
  readonly filters: Pick<SearchFilters, 'path' | 'tool' | 'since' | 'until'>;
}

/** A text as it stands: more than one word in double quotes. */
const QUOTED = /^\s*"([^"]*\s[^"]*)"\s*$/;
const FILTER = /(?:^|\s)(?:(path|tool):(\S+)|(since|until):(\d{1,9}))(?=\s|$)/g;

/** Takes the filters out of a query. One in double quotes is a text as it stands. */
export function typedQuery(query: string): TypedQuery {
  if (QUOTED.test(query)) return { text: query, filters: {} };
  const found = [...query.matchAll(FILTER)].map(([, name, text, bound, message]): TypedQuery['filters'] =>
    name === undefined ? { [bound as 'since']: Number(message) } : { [name]: text },
  );
  return { text: query.replaceAll(FILTER, ' ').trim(), filters: Object.assign({}, ...found) as TypedQuery['filters'] };
}

const AROUND = /^[\s"'`([{<,;:!?@]+|[\s"'`)\]}>,;:!?.]+$/g;
/** A name with an ending, or with folders before it. */
const PATH = /^\S*(?:\/[^\s/]+|[^\s/.]\.[a-z][a-z0-9]{0,9})$/i;

function asPath(term: string): string {
  return term
    .replaceAll('\\', '/')
    .replace(/:\d+(?::\d+)?$/, '')
    .replace(/^(?:\.\/)+/, '');
}

/** Reads a query. Without words or signs in it, `terms` is empty. */
export function readQuery(query: string): Query {
  const [, quoted] = QUOTED.exec(query) ?? [];
  const whole = (quoted ?? query).trim().toLowerCase();
  if (quoted !== undefined && whole !== '') return { phrase: whole, terms: [whole], paths: [], others: whole };
  const words = whole.split(/\s+/).map((word) => word.replaceAll(AROUND, ''));
  const terms = [...new Set(words.filter((word) => word !== ''))];
  const paths = terms.map(asPath).filter((term) => PATH.test(term));
  return {
    // Signs alone, such as `=>`, are a text as well.
    phrase: terms.length === 1 && terms[0] !== undefined ? terms[0] : whole,
    terms: terms.length === 0 && whole !== '' ? [whole] : terms,
    paths,
    others: terms.filter((term) => !PATH.test(asPath(term))).join(' '),
  };
}

/** Whether a file a call named is the one a query means: either may say more of the folders before it. */
export function isPathOf(path: string, asked: string): boolean {
  const known = asPath(path).toLowerCase();
  const name = asPath(asked);
  return known !== '' && (known === name || known.endsWith(`/${name}`) || name.endsWith(`/${known}`));
}
