/**
 * Results too long to hand over whole: the middle is left out, the whole text goes to the archive, and the result names its address.
 *
 * The engine recalls only addresses its ledger issued, because an archive may hold what other sessions put there. These addresses are not in
 * the ledger. What proves them is the result itself, which is in the history and so survives a resume: a text may be recalled by whoever was
 * shown its beginning and its end, thousands of characters of them, around the line that names it.
 */
import { type Archive, type Codec, contentAddress, ContextError, type RecallPort } from '@holdover/engine';
import { fileDigest } from '../file-state/file-state.ts';
import { historyCalls } from '../file-state/history-calls.ts';
import { cutMiddle } from './cut-text.ts';

export interface LongTexts {
  /** `text` where it has at most `maxChars` characters (4,000 or more), else its beginning and end around a line that says how to get the rest. */
  shorten(text: string, maxChars: number): Promise<string>;
}

/** Less than this in view of a text proves nothing: it could have been made up around an address. Half of the smallest cap. */
const MIN_SHOWN_CHARS = 2_000;

const LINE = /\n\[… (\d+) of (\d+) characters left out; recall: (c_[0-9a-f]{16})\]\n/g;

export function createLongTexts(archive: Archive): LongTexts {
  return {
    async shorten(text, maxChars) {
      if (text.length <= maxChars) return text;
      const whole = text.toWellFormed();
      const address = contentAddress(whole, archive.hash ?? fileDigest);
      const isKept = await archive.put(address, whole).then(
        () => true,
        () => false,
      );
      // A full disk is no reason to lose what can be shown.
      return cutMiddle(whole, maxChars, isKept ? `; recall: ${address}` : '');
    },
  };
}

export interface LongTextSource {
  readonly archive: Archive;
  readonly codec: Codec;
  history(): readonly object[];
}

/** A recall that also gives back texts that `shorten` put away in this session. */
export function recallingLongTexts(port: RecallPort, source: LongTextSource): RecallPort {
  return {
    search: (query, filters) => port.search(query, filters),
    gauge: () => port.gauge(),
    async recall(address) {
      try {
        return await port.recall(address);
      } catch (error) {
        if (!(error instanceof ContextError) || error.code !== 'UNKNOWN_ADDRESS') throw error;
        const text = await provenText(address, source);
        if (text === undefined) throw error;
        return { kind: 'content', address, text };
      }
    },
  };
}

async function provenText(address: string, source: LongTextSource): Promise<string | undefined> {
  const shown = historyCalls(source.history(), source.codec)
    .map(({ text }) => text)
    .filter((text) => text.includes(address));
  if (shown.length === 0) return undefined;
  const text = await source.archive.get(address).catch(() => undefined);
  return text !== undefined && shown.some((result) => isProof(result, address, text)) ? text : undefined;
}

/** Whether `result` shows both ends of `text` around a line that names the address, with nothing added or missing. */
function isProof(result: string, address: string, text: string): boolean {
  return [...result.matchAll(LINE)].some((line) => {
    const first = result.slice(0, line.index);
    const last = result.slice(line.index + line[0].length);
    if (line[3] !== address || first.length + last.length < MIN_SHOWN_CHARS) return false;
    const leftOutChars = text.length - first.length - last.length;
    return leftOutChars === Number(line[1]) && text.startsWith(first) && text.endsWith(last);
  });
}
