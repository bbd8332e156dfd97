/** The `recall` tool for a host's own tool table: what makes markers redeemable for the model. */
import { ContextError } from './errors.ts';
import { headOf } from './layers/marker.ts';
import { hitHeader, type Recalled, type SearchFilters } from './recalled.ts';
import { RECALL_TOOL } from './unread-recalls.ts';

/** What of a context the tool asks. */
export interface RecallPort {
  recall(address: string): Promise<Recalled>;
  search(query: string, filters?: SearchFilters): Recalled;
  gauge(): { readonly window: { readonly windowTokens: number } } | undefined;
}

/** Of `recallTool`; all have defaults. */
export interface RecallToolOptions {
  /** Has to be the context's `recallTool`. @default 'recall' */
  readonly name?: string;
  /**
   * Characters of one answer, from 200. @default a tenth of the window at four characters a token, 80_000 before the first request: a page
   * never drives out what it was fetched for
   */
  readonly pageChars?: number;
}

/** What the tool says to the model. */
export interface RecallAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** A tool definition and its function, for whatever table of tools the host has. */
export interface RecallTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, as both providers take it. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Answers with text for the model. What the model gets wrong is an answer with `isError`; rejects only where the archive cannot be read. */
  run(input: unknown): Promise<RecallAnswer>;
}

const PAGE_SHARE = 0.1;
const CHARS_PER_TOKEN = 4;
const ASSUMED_WINDOW_TOKENS = 200_000;
const MIN_PAGE_CHARS = 200;

const INPUT_SCHEMA: RecallTool['inputSchema'] = {
  type: 'object',
  properties: {
    address: { type: 'string', description: 'An address such as c_0123456789abcdef, copied whole from a marker.' },
    query: {
      type: 'string',
      description:
        'A file, name or text to look for in what left the conversation; path:, tool:, since: and until: narrow it.',
    },
    offset: { type: 'integer', minimum: 0, description: 'Where to go on in a long original, in characters.' },
  },
  additionalProperties: false,
};

interface Input {
  readonly address: string;
  readonly query: string;
  readonly offset: number;
}

/** Models fill in what they leave open with empty texts, and write numbers as texts. */
function read(value: unknown): Input {
  const fields: Readonly<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {};
  const text = (name: string): string => {
    const field = fields[name];
    return typeof field === 'string' ? field.trim() : '';
  };
  const offset = Number(fields['offset'] ?? 0);
  return {
    address: text('address'),
    query: text('query'),
    offset: Number.isFinite(offset) ? Math.max(0, Math.floor(offset)) : 0,
  };
}

function wrong(text: string): RecallAnswer {
  return { text: `recall: ${text}`, isError: true };
}

function right(text: string): RecallAnswer {
  return { text, isError: false };
}

/** One page of `text`, whole characters at both ends, which page it is, and the way to the next. */
function page(text: string, from: number, pageChars: number): RecallAnswer {
  if (from > 0 && from >= text.length) {
    return wrong(`the original has ${text.length} characters, and nothing is behind offset ${from}`);
  }
  const code = text.charCodeAt(from);
  const start = from > 0 && code >= 0xdc00 && code <= 0xdfff ? from - 1 : from;
  const shown = headOf(text.slice(start), pageChars);
  const end = start + shown.length;
  if (end === text.length) return right(shown);
  const number = Math.floor(start / pageChars) + 1;
  const pages = Math.max(number + 1, Math.ceil(text.length / pageChars));
  const where = `page ${number} of ${pages}, characters ${start} to ${end} of ${text.length}`;
  return right(`${shown}\n(${where}; for more, recall again with offset ${end})`);
}

/** What a search is worth at most: five excerpts of it say more than one page of one text. */
const MAX_HITS_TOKENS = 2_000;

function hitList({ query, hits, omitted }: Extract<Recalled, { kind: 'hits' }>): string {
  if (hits.length === 0) return `Nothing outside the context contains ${JSON.stringify(headOf(query, 200))}.`;
  const list = hits.map((hit) => `${hitHeader(hit)}\n${hit.excerpt}`);
  return [...list, ...(omitted > 0 ? [`(${omitted} more; a longer query finds fewer)`] : [])].join('\n\n');
}

/** A tool over a context: give its description to the model, and answer its calls with `run`. Throws `INVALID_OPTION` for a page below 200 characters. */
export function recallTool(context: RecallPort, { name = RECALL_TOOL, pageChars }: RecallToolOptions = {}): RecallTool {
  if (pageChars !== undefined && !(pageChars >= MIN_PAGE_CHARS))
    throw new ContextError('INVALID_OPTION', `pageChars must be at least ${MIN_PAGE_CHARS}, got ${String(pageChars)}`);
  const chars = (): number => {
    const windowTokens = context.gauge()?.window.windowTokens ?? ASSUMED_WINDOW_TOKENS;
    return pageChars ?? Math.floor(windowTokens * PAGE_SHARE * CHARS_PER_TOKEN);
  };
  return {
    name,
    description:
      'Get back what was taken out of this conversation. An address from a marker gives the exact original, a query finds lines and their addresses; long originals come page by page.',
    inputSchema: INPUT_SCHEMA,
    async run(input) {
      const { address, query, offset } = read(input);
      if (address === '' && query === '') return wrong('give an address or a query');
      const maxTokens = Math.min(MAX_HITS_TOKENS, Math.floor(chars() / CHARS_PER_TOKEN));
      try {
        const recalled = address === '' ? context.search(query, { maxTokens }) : await context.recall(address);
        return recalled.kind === 'hits' ? right(hitList(recalled)) : page(recalled.text, offset, chars());
      } catch (error) {
        if (error instanceof ContextError && error.code === 'UNKNOWN_ADDRESS') return wrong(error.message);
        throw error;
      }
    },
  };
}
