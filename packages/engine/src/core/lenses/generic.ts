/**
 * A lens for tools nobody described: by the words of the name and the fields of the input. Names are read as words, so
 * `mcp__files__readFile`, `read-file` and `ReadFile` are one; where name and fields say nothing, the call is just a call.
 */
import type { Fact, FilePart, Lens, LineRange } from '../lens.ts';
import { standardOutcome } from './outcome.ts';
import { ranFact } from './shell.ts';
import { countOf, filePart, linesFrom, member, textOf } from './table.ts';

const PATH_FIELDS = [
  'path',
  'file_path',
  'filePath',
  'filepath',
  'file',
  'filename',
  'file_name',
  'fileName',
  'absolute_path',
  'absolutePath',
  'relative_path',
  'target_file',
  'notebook_path',
] as const;
const COMMAND_FIELDS = ['command', 'cmd', 'shell_command', 'script', 'commands'] as const;
const QUERY_FIELDS = ['query', 'pattern', 'regex', 'search', 'q', 'glob', 'glob_pattern', 'search_term'] as const;
const URL_FIELDS = ['url', 'uri', 'href'] as const;
const OLD_TEXT_FIELDS = [
  'old_text',
  'oldText',
  'old_string',
  'oldString',
  'old_str',
  'edits',
  'diff',
  'patch',
] as const;
const NEW_TEXT_FIELDS = ['content', 'contents', 'file_text', 'text', 'new_content', 'code_edit'] as const;

const READS = new Set(['read', 'view', 'open', 'cat', 'show', 'load', 'get']);
const WRITES = new Set(['write', 'create', 'save', 'overwrite', 'put']);
const EDITS = new Set(['edit', 'replace', 'patch', 'update', 'insert', 'modify', 'append', 'multiedit', 'undo']);
const SEARCHES = new Set(['search', 'grep', 'find', 'list', 'ls', 'glob', 'dir', 'rg']);

/** Longest name whose words are looked at. */
const MAX_NAME_CHARS = 200;

/** The words of a name in lower case: `str_replace`, `readFile` and `mcp__x__read-file` alike. */
function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, MAX_NAME_CHARS)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function has(input: unknown, names: readonly string[]): boolean {
  return names.some((name) => member(input, name) !== undefined);
}

type Verb = 'read' | 'wrote' | 'edited' | 'searched';

const VERBS: readonly (readonly [ReadonlySet<string>, Verb])[] = [
  [EDITS, 'edited'],
  [WRITES, 'wrote'],
  [SEARCHES, 'searched'],
  [READS, 'read'],
];

function verbOf(words: readonly string[]): Verb | undefined {
  return VERBS.find(([set]) => words.some((word) => set.has(word)))?.[1];
}

function rangeOf(input: unknown): LineRange | undefined {
  const view = member(input, 'view_range');
  const [start, end]: readonly unknown[] = Array.isArray(view) ? (view as readonly unknown[]) : [];
  const from =
    (typeof start === 'number' ? start : countOf(input, 'start_line', 'startLine', 'line_start', 'offset')) ?? 1;
  const to = typeof end === 'number' ? end : countOf(input, 'end_line', 'endLine', 'line_end');
  if (to !== undefined && to >= from) return { from: Math.max(1, from), to };
  return linesFrom(from, countOf(input, 'limit', 'max_lines'));
}

function partOf(input: unknown): FilePart | undefined {
  const path = typeof input === 'string' ? input : textOf(input, ...PATH_FIELDS);
  if (path === '') return undefined;
  return filePart(path.startsWith('file://') ? path.slice('file://'.length) : path, rangeOf(input));
}

/** The files of a call: of the input itself, or of a list in it. */
function partsOf(input: unknown): readonly FilePart[] {
  const one = typeof input === 'string' ? undefined : partOf(input);
  if (one !== undefined) return [one];
  for (const name of ['files', 'paths', 'file_paths', 'filePaths']) {
    const list = member(input, name);
    if (Array.isArray(list)) return list.flatMap((item) => partOf(item) ?? []);
  }
  return [];
}

/** Files a patch in the form of Codex's `apply_patch` names. */
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

function patchedParts(input: unknown): readonly FilePart[] {
  const patch = typeof input === 'string' ? input : textOf(input, 'input', 'patch', 'patch_text', 'patchText');
  if (!patch.includes('*** Begin Patch')) return [];
  return [...patch.matchAll(PATCHED)].map(([, path = '']) => ({ path: path.trim() }));
}

function fileFact(kind: 'read' | 'wrote' | 'edited', parts: readonly FilePart[]): Fact | undefined {
  const [first, ...also] = kind === 'read' ? parts : parts.map(({ path }) => ({ path }));
  if (first === undefined) return undefined;
  return also.length === 0 ? { kind, ...first } : { kind, ...first, also };
}

/** A list of lines as one text; of arguments, the line behind `bash -lc`, or all of them. */
function lineOf(name: string, list: readonly string[]): string {
  if (name === 'commands') return list.join('\n');
  const isShell = list.length === 3 && /^-l?c$/.test(list[1] ?? '');
  return isShell ? (list[2] ?? '') : list.join(' ');
}

/** The command of a call, given as a text or as a list. */
function commandOf(input: unknown, words: readonly string[]): string {
  for (const name of COMMAND_FIELDS) {
    const value = member(input, name);
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return lineOf(name, value);
  }
  return words.includes('shell') || words.includes('bash') ? textOf(input, 'input', 'code') : '';
}

/** What a call on files does. The texts it carries tell a change from a new file better than most names do. */
function verbFor(words: readonly string[], input: unknown): Verb | undefined {
  // An editor with several commands in one tool: `{ command: 'view', path }`.
  const command = textOf(input, 'command');
  const named = (command === '' ? undefined : verbOf(wordsOf(command))) ?? verbOf(words);
  if (named === 'read' || named === 'searched') return named;
  if (has(input, OLD_TEXT_FIELDS)) return 'edited';
  return has(input, NEW_TEXT_FIELDS) && named === undefined ? 'wrote' : named;
}

function onFiles(words: readonly string[], input: unknown): Fact | undefined {
  const patched = patchedParts(input);
  if (patched.length > 0) return fileFact('edited', patched);
  const parts = partsOf(input);
  if (parts.length === 0) return undefined;
  const verb = verbFor(words, input);
  return verb === undefined || verb === 'searched' ? undefined : fileFact(verb, parts);
}

function searched(words: readonly string[], input: unknown): Fact | undefined {
  const query = textOf(input, ...QUERY_FIELDS);
  const path = textOf(input, ...PATH_FIELDS, 'directory', 'dir', 'cwd');
  const isListing = path !== '' && verbOf(words) === 'searched';
  if (query === '' && !isListing) return undefined;
  return { kind: 'searched', query: query === '' ? '*' : query, ...(path === '' ? {} : { path }) };
}

function call(name: string, input: unknown): Fact {
  const words = wordsOf(name);
  const files = onFiles(words, input);
  if (files !== undefined) return files;
  const command = commandOf(input, words);
  if (command !== '') return ranFact(command);
  const url = textOf(input, ...URL_FIELDS);
  if (url !== '') return { kind: 'fetched', url };
  return searched(words, input) ?? { kind: 'called', name };
}

export const generic: Lens = { name: 'generic', call, outcome: standardOutcome };
