/** Names that later calls are likely to use: what the rest of the digest does not show already, the likeliest first. */
import { identifiersOf, type Identifier } from '../../facts/identifiers.ts';
import { scanIdentifiers } from '../../facts/scan-identifiers.ts';
import type { History } from '../../history.ts';
import type { Span } from '../../layers/range-edits.ts';
import type { Section } from './section.ts';

/** About 4,000 tokens: on recorded sessions more names bring next to nothing. */
const MAX_CHARS = 14_000;

/** Names looked at: the shortest are six characters long, so no more fit. */
const MAX_NAMES = MAX_CHARS / 7;

/** Of names that stand in the span and nowhere behind it, the `MAX_NAMES` that count most, the first first. */
function likeliest(history: History, { to }: Span): readonly Identifier[] {
  // What stands behind the span as well is in view there.
  const names = [...identifiersOf(history).all()].filter(({ entry }) => entry < to);
  const scores = Float64Array.from(names, ({ score }) => score).sort();
  const least = scores[Math.max(0, scores.length - MAX_NAMES)] ?? 0;
  return names
    .filter(({ score }) => score >= least)
    .sort((one, other) => other.score - one.score || (one.text < other.text ? -1 : 1));
}

/** Names and paths a text shows, with the beginnings and ends of the paths. */
class Shown {
  readonly #names = new Set<string>();

  read(text: string): void {
    scanIdentifiers(text, (from, to, isPath) => {
      this.add(text.slice(from, to), isPath);
    });
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add(name: string, isPath: boolean): void {
    this.#names.add(name);
    if (!isPath) return;
    for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
      this.#names.add(name.slice(0, slash));
      this.#names.add(name.slice(slash));
      this.#names.add(name.slice(slash + 1));
    }
  }
}

export interface NamesOptions {
  readonly history: History;
  readonly span: Span;
  /** Room of the whole digest: a short one names nothing. */
  readonly maxChars: number;
  /** Texts that stand beside the list; complete when it is written. */
  readonly beside: readonly string[];
}

/** Digests below this say more with other facts. */
const MIN_DIGEST_CHARS = 2_000;

/** Characters of a name in the list. Escapes of rare signs make it longer than the name. */
function lengthOf({ text }: Identifier): number {
  return JSON.stringify(text).length - 1;
}

/** One JSON string, names parted by spaces; written last, into whatever room is left. */
export function namesSection(title: string, { history, span, maxChars, beside }: NamesOptions): Section {
  const candidates = maxChars < MIN_DIGEST_CHARS ? [] : likeliest(history, span);
  const frame = title.length + '\n""'.length;
  const need = candidates.reduce((sum, name) => sum + lengthOf(name), frame);
  return {
    need: candidates.length === 0 ? 0 : Math.min(MAX_CHARS, need),
    write(room) {
      const shown = new Shown();
      for (const text of beside) shown.read(text);
      const names: string[] = [];
      let left = Math.min(room, MAX_CHARS) - frame;
      for (const name of candidates) {
        if (shown.has(name.text)) continue;
        left -= lengthOf(name);
        if (left < 0) break;
        shown.add(name.text, name.isPath);
        names.push(name.text);
      }
      return names.length === 0 ? '' : `${title}\n${JSON.stringify(names.join(' '))}`;
    },
  };
}
