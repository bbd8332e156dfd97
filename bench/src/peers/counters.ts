/** Exact counters, by name. They are loaded when asked for: some take half a second. */

/** Counts tokens of a text. */
export type Count = (text: string) => number;

/** Entries of the encoder's cache of merges: without a bound it grows with the text. */
const MERGE_CACHE_ENTRIES = 1_000;

/** OpenAI's o200k_base, as the simulator counts. */
async function o200k(): Promise<Count> {
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base');
  setMergeCacheSize(MERGE_CACHE_ENTRIES);
  // A text that spells a special token is a text.
  const disallowedSpecial: Set<string> = new Set();
  return (text) => countTokens(text, { disallowedSpecial });
}

/** The nearest public table to Claude's. */
async function claude(): Promise<Count> {
  const { default: Tokenizer } = await import('ai-tokenizer');
  const tokenizer = new Tokenizer(await import('ai-tokenizer/encoding/claude'));
  return (text) => tokenizer.count(text);
}

/** o200k_base again, in plain JavaScript without a cache. */
async function tiktoken(): Promise<Count> {
  const { getEncoding } = await import('js-tiktoken');
  const encoding = getEncoding('o200k_base');
  return (text) => encoding.encode(text, [], []).length;
}

export const COUNTERS = {
  'gpt-tokenizer, o200k': o200k,
  'ai-tokenizer, claude': claude,
  'js-tiktoken, o200k': tiktoken,
} as const;
