/**
 * What a compaction should keep, without a judge: texts of the history that a later turn may need, made by rules. Verbatim each, so that a prompt
 * either has it or not. Decisions and the state of the branch are not asked: they need a model, or more than a text.
 */
import { stringsIn } from '../prompt/blocks.ts';
import { listOf, objectOf, textOf } from '../session/json.ts';
import type { Block, Message } from '../session/recorded.ts';
import { fileNameOf, identifiersIn, pathIn } from './find.ts';

/**
 * - `file`: the path of a file that was read, edited or created.
 * - `command`: the newest command that tests or builds.
 * - `failing-test`: a line that names a failing test, in the result of that command.
 * - `error`: the first line of a failed result.
 * - `instruction`: a sentence of the user with must, never, don't, only or always.
 * - `id`: an address, a hash or a version somebody wrote, results aside.
 * - `todo`: an open item of the newest task list.
 */
export const PROBE_KINDS = ['file', 'command', 'failing-test', 'error', 'instruction', 'id', 'todo'] as const;

export type ProbeKind = (typeof PROBE_KINDS)[number];

export interface Probe {
  readonly kind: ProbeKind;
  readonly text: string;
  /** What a model that misses it would look for. */
  readonly query: string;
  /** In force from the prompt on that has this message. */
  readonly from: number;
  /** Superseded from the prompt on that has this message. */
  readonly until: number;
}

const MODAL = /\b(?:must|never|don['’]t|do not|only|always)\b/i;
const CHECK = /\b(?:test|tests|build|check|lint|tsc|vitest|jest|pytest|mocha|cargo|make|gradle|go vet)\b/;
const FAILING = /^\s*(?:✗|×|✕|FAIL(?:ED)?\b|not ok\b|--- FAIL).*\S/gm;
const ID = /\bhttps?:\/\/[^\s"'`<>)\]]+|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,40}\b|\bv?\d+\.\d+\.\d+[\w.-]*/g;
const MIN_SENTENCE_CHARS = 8;
const MAX_LINE_CHARS = 400;

type Newest = 'command' | 'failing-test' | 'todo';

class Finder {
  readonly #found = new Map<string, Probe>();
  readonly #newest: Record<Newest, string[]> = { command: [], 'failing-test': [], todo: [] };
  readonly #checks = new Set<string>();

  add(kind: ProbeKind, text: string, from: number): string {
    const key = `${kind} ${text}`;
    const known = this.#found.get(key);
    if (text !== '' && (known === undefined || known.until <= from))
      this.#found.set(key, { kind, text, query: queryOf(kind, text), from, until: Number.POSITIVE_INFINITY });
    return key;
  }

  /** Takes `texts` in place of the newest of a kind. */
  replace(kind: Newest, texts: readonly string[], from: number): void {
    for (const key of this.#newest[kind]) {
      const probe = this.#found.get(key);
      if (probe !== undefined) this.#found.set(key, { ...probe, until: from });
    }
    this.#newest[kind] = texts.filter((text) => text !== '').map((text) => this.add(kind, text, from));
  }

  call({ id, input }: Block, at: number): void {
    const path = pathIn(input);
    if (path !== '') this.add('file', path, at);
    const command = textOf(objectOf(input)['command']);
    if (CHECK.test(command)) {
      this.#checks.add(textOf(id));
      this.replace('command', [firstLine(command)], at);
    }
    const { todos } = objectOf(input);
    if (Array.isArray(todos)) this.replace('todo', openItems(todos), at);
  }

  result(block: Block, at: number): void {
    const text = stringsIn(block['content']).join('\n');
    if (block['is_error'] === true) this.add('error', firstLine(text), at);
    if (this.#checks.has(textOf(block['tool_use_id'])))
      this.replace('failing-test', (text.match(FAILING) ?? []).map(firstLine), at);
  }

  words(text: string, role: string, at: number): void {
    for (const [id] of text.matchAll(ID)) this.add('id', id, at);
    if (role !== 'user') return;
    const sentences = text.split(/(?<=[.!?])\s+|\n+/).map((sentence) => sentence.trim());
    for (const sentence of sentences)
      if (sentence.length >= MIN_SENTENCE_CHARS && MODAL.test(sentence)) this.add('instruction', sentence, at);
  }

  probes(): readonly Probe[] {
    return [...this.#found.values()];
  }
}

function firstLine(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  return line.trim().slice(0, MAX_LINE_CHARS);
}

function openItems(todos: readonly unknown[]): readonly string[] {
  return todos
    .map(objectOf)
    .filter(({ status }) => status !== 'completed')
    .map(({ content }) => textOf(content));
}

/** The name of the file, or else the most telling word. */
function queryOf(kind: ProbeKind, text: string): string {
  if (kind === 'file') return fileNameOf(text);
  const names = identifiersIn(text).map((name) => (name.includes('/') ? fileNameOf(name) : name));
  const words = names.length > 0 ? names : text.split(/[^\p{L}\p{N}_.-]+/u);
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '') || text;
}

/** Every probe of a session, in the order they come up. */
export function probesOf(messages: readonly Message[]): readonly Probe[] {
  const finder = new Finder();
  messages.forEach(({ role, content }, at) => {
    for (const block of content) {
      if (block.type === 'tool_use') finder.call(block, at);
      if (block.type === 'tool_result') finder.result(block, at);
      const words = block.type === 'tool_use' ? stringsIn(block['input']) : listOf([block['text']]);
      for (const text of words) finder.words(textOf(text), block.type === 'text' ? role : '', at);
    }
  });
  return finder.probes();
}
