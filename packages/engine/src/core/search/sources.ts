/** What a search looks through: every text of the history as its lines read best, with the tool and the file it is about. */
import type { Entry, Part } from '../entry.ts';
import type { History, Place } from '../history.ts';
import type { Lens } from '../lens.ts';
import { type Replacement, replacementsOf } from '../lenses/change.ts';

/** `change`: what a call writes into a file; `read`: a result that shows one; `output`: any other result or call; `asked`: what the user said; `words`: what others did. */
export type SourceKind = 'change' | 'read' | 'output' | 'asked' | 'words';

export interface Source {
  readonly place: Place;
  readonly kind: SourceKind;
  /** The tool that was called, `''` for words. */
  readonly tool: string;
  /** The files it is about, as the call named them. */
  readonly paths: readonly string[];
  readonly text: string;
  /** The words of the call a result answers; `''` for what is no result. */
  readonly asked: string;
  /** True where the call failed: what it meant to write is in no file. */
  readonly isFailed: boolean;
  /** Of an edit: what it replaced, and what with. */
  readonly replaced?: readonly Replacement[];
}

export interface SourceTools {
  readonly lens: Lens;
  /** Name of a tool whose calls and results only repeat what is found anyway. */
  readonly recallTool: string;
}

const MAX_DEPTH = 6;

/** Every text in a call's input, in order: as JSON, line breaks would be escapes. */
function textsOf(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.values(value).flatMap((item) => textsOf(item, depth + 1));
}

/** A call's input as its words, one text after the other; as JSON where it has none. */
export function callText(input: unknown): string {
  const texts = textsOf(input);
  return texts.length === 0 ? (JSON.stringify(input) ?? '') : texts.join('\n');
}

interface Called {
  readonly kind: SourceKind;
  readonly tool: string;
  readonly paths: readonly string[];
  readonly text: string;
  readonly replaced?: readonly Replacement[];
}

function calledBy({ name, input }: Extract<Part, { kind: 'call' }>, lens: Lens): Called {
  const fact = lens.call(name, input);
  const text = callText(input);
  if (fact.kind === 'ran' && fact.prints !== undefined)
    return { kind: fact.prints.isVerbatim ? 'read' : 'output', tool: name, paths: fact.prints.paths, text };
  if (fact.kind !== 'read' && fact.kind !== 'wrote' && fact.kind !== 'edited')
    return { kind: 'output', tool: name, paths: [], text };
  const paths = [fact, ...(fact.also ?? [])].map(({ path }) => path);
  if (fact.kind === 'read') return { kind: 'read', tool: name, paths, text };
  return { kind: 'change', tool: name, paths, text, replaced: replacementsOf(input) };
}

/** Of a result nobody asked for. */
const NO_CALL = { kind: 'output', tool: '', paths: [], text: '', index: -1 } as const;

class Collector {
  readonly sources: Source[] = [];
  readonly #calls = new Map<string, Called & { readonly index: number }>();
  readonly #tools: SourceTools;

  constructor(tools: SourceTools) {
    this.#tools = tools;
  }

  take(part: Part, place: Place, origin: Entry['origin']): void {
    if (part.kind === 'call') this.#takeCall(part, place);
    else if (part.kind === 'result') this.#takeResult(part, place);
    else if (part.kind === 'text') {
      const kind = origin === 'user' ? 'asked' : 'words';
      this.#add(kind, { place, tool: '', paths: [], text: part.text, asked: '', isFailed: false });
    }
  }

  #takeCall(part: Extract<Part, { kind: 'call' }>, place: Place): void {
    const called = calledBy(part, this.#tools.lens);
    this.#calls.set(part.id, { ...called, index: this.sources.length });
    if (called.tool === this.#tools.recallTool) return;
    const { kind, ...what } = called;
    this.#add(kind === 'change' ? 'change' : 'output', { ...what, place, asked: '', isFailed: false });
  }

  #takeResult({ callId, text, isError }: Extract<Part, { kind: 'result' }>, place: Place): void {
    const { kind, tool, paths, text: asked, index } = this.#calls.get(callId) ?? NO_CALL;
    if (tool === this.#tools.recallTool) return;
    const call = this.sources[index];
    if (isError && call !== undefined) this.sources[index] = { ...call, isFailed: true };
    this.#add(kind === 'read' ? 'read' : 'output', { place, tool, paths, text, asked, isFailed: isError });
  }

  #add(kind: SourceKind, source: Omit<Source, 'kind'>): void {
    this.sources.push({ kind, ...source });
  }
}

/** The texts of the history, oldest first. */
export function sourcesOf(history: History, tools: SourceTools): readonly Source[] {
  const collector = new Collector(tools);
  for (let entry = 0; entry < history.length; entry += 1) {
    const { parts, origin } = history.at(entry);
    parts.forEach((part, index) => collector.take(part, { entry, part: index }, origin));
  }
  return collector.sources;
}
