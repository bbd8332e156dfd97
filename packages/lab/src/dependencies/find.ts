/**
 * What a recorded call depends on: texts in its arguments that stand in the history before it, and that a model could hence only have from there.
 */
import { stringsIn } from '../prompt/blocks.ts';
import { isObject, listOf, textOf } from '../session/json.ts';
import type { Block, Message } from '../session/recorded.ts';

export type DependencyKind = 'edit-line' | 'identifier';

/** A text in a call's arguments. */
export interface Candidate {
  readonly kind: DependencyKind;
  readonly text: string;
  /** What a model that misses it would look for: the name of the file, or the identifier itself. */
  readonly query: string;
}

const MIN_LINE_CHARS = 16;
const MIN_IDENTIFIER_CHARS = 6;

/** What agents call the text an edit replaces. */
const OLD_TEXT_KEYS = ['oldText', 'old_string', 'oldString', 'old_str', 'old_text'] as const;
const PATH_KEYS = ['path', 'file_path', 'filePath', 'file', 'filename', 'notebook_path'] as const;

const PATH = /(?:[\w@~.+-]+\/|\/)(?:[\w@.+-]+\/)*[\w@.+-]+/g;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** The file a call is about; empty where it names none. */
export function pathIn(input: unknown): string {
  return firstText(input, PATH_KEYS);
}

function firstText(input: unknown, keys: readonly string[]): string {
  if (!isObject(input)) return '';
  return keys.map((key) => textOf(input[key])).find((text) => text !== '') ?? '';
}

export function fileNameOf(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? path;
}

function editLines(input: unknown): readonly Candidate[] {
  if (!isObject(input)) return [];
  const query = fileNameOf(pathIn(input));
  const edits = [input, ...listOf(input['edits'])].map((edit) => firstText(edit, OLD_TEXT_KEYS));
  return edits
    .flatMap((text) => text.split(/\r?\n/))
    .filter((line) => line.length >= MIN_LINE_CHARS && line.trim() !== '')
    .map((text) => ({ kind: 'edit-line', text, query: query === '' ? text : query }));
}

/** Names that are nobody's words: with an inner capital, an underscore or a digit. */
function isIdentifier(word: string): boolean {
  return word.length >= MIN_IDENTIFIER_CHARS && (/\p{Ll}\p{Lu}/u.test(word) || /.[_\p{N}]/u.test(word));
}

/** Paths and names in a text, in order of kind, repeated where they are. */
export function identifiersIn(text: string): readonly string[] {
  const paths = (text.match(PATH) ?? []).filter((path) => path.length >= MIN_IDENTIFIER_CHARS);
  return [...paths, ...(text.match(WORD) ?? []).filter(isIdentifier)];
}

function identifiers(input: unknown): readonly Candidate[] {
  return stringsIn(input)
    .flatMap(identifiersIn)
    .map((text) => ({ kind: 'identifier', text, query: text.includes('/') ? fileNameOf(text) : text }));
}

function isCall(block: Block): boolean {
  return block.type === 'tool_use';
}

/** The candidates of a reply's calls, each text once a kind; whether they stand in the history is not asked yet. Undefined where it has no calls. */
export function candidatesOf(reply: Message): readonly Candidate[] | undefined {
  const calls = reply.content.filter(isCall);
  if (calls.length === 0) return undefined;
  const byKey = new Map<string, Candidate>();
  for (const { input } of calls as readonly { readonly input?: unknown }[])
    for (const candidate of [...editLines(input), ...identifiers(input)]) {
      const key = `${candidate.kind} ${candidate.text}`;
      if (!byKey.has(key)) byKey.set(key, candidate);
    }
  return [...byKey.values()];
}
