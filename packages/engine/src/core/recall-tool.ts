/** The `recall` tool for a host's own tool table: what makes markers redeemable for the model. */
import { ContextError } from './errors.ts';
import { headOf } from './layers/marker.ts';
import type { Recalled } from './recalled.ts';

/** What of a context the tool asks. */
export interface RecallPort {
  recall(address: string): Promise<Recalled>;
  search(query: string): Recalled;
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
    query: { type: 'string', description: 'Text to look for in what left the conversation.' },
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

/** One page of `text`, whole characters at both ends, and the way to the next. */
function page(text: string, from: number, pageChars: number): RecallAnswer {
  if (from > 0 && from >= text.length) {
    return wrong(`the original has ${text.length} characters, and nothing is behind offset ${from}`);
  }
  const code = text.charCodeAt(from);
  const start = from > 0 && code >= 0xdc00 && code <= 0xdfff ? from - 1 : from;
  const shown = headOf(text.slice(start), pageChars);
  const rest = text.length - start - shown.length;
  const more = `\n(${rest} more characters: recall again with offset ${start + shown.length})`;
  return right(rest === 0 ? shown : shown + more);
}

function hitList({ query, hits, omitted }: Extract<Recalled, { kind: 'hits' }>, pageChars: number): string {
  if (hits.length === 0) return `Nothing outside the context contains ${JSON.stringify(headOf(query, 200))}.`;
  const lines = hits.map(
    ({ address, entry, what, excerpt }) => `recall: ${address} (message ${entry}, ${what})\n  ${excerpt}`,
  );
  const list = [...lines, ...(omitted > 0 ? [`(${omitted} more; a longer query finds fewer)`] : [])].join('\n');
  return headOf(list, pageChars);
}

/** A tool over a context: give its description to the model, and answer its calls with `run`. Throws `INVALID_OPTION` for a page below 200 characters. */
export function recallTool(context: RecallPort, { name = 'recall', pageChars }: RecallToolOptions = {}): RecallTool {
  if (pageChars !== undefined && !(pageChars >= MIN_PAGE_CHARS))
    throw new ContextError('INVALID_OPTION', `pageChars must be at least ${MIN_PAGE_CHARS}, got ${String(pageChars)}`);
  const chars = (): number => {
    const windowTokens = context.gauge()?.window.windowTokens ?? ASSUMED_WINDOW_TOKENS;
    return pageChars ?? Math.floor(windowTokens * PAGE_SHARE * CHARS_PER_TOKEN);
  };
  return {
    name,
    description:
      'Get back what was taken out of this conversation. An address from a marker gives the exact original, a query finds addresses by a text in it; long originals come page by page.',
    inputSchema: INPUT_SCHEMA,
    async run(input) {
      const { address, query, offset } = read(input);
      if (address === '' && query === '') return wrong('give an address or a query');
      try {
        const recalled = address === '' ? context.search(query) : await context.recall(address);
        return recalled.kind === 'hits' ? right(hitList(recalled, chars())) : page(recalled.text, offset, chars());
      } catch (error) {
        if (error instanceof ContextError && error.code === 'UNKNOWN_ADDRESS') return wrong(error.message);
        throw error;
      }
    },
  };
}
