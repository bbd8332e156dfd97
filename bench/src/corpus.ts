/** Real text to make messages of: a recorded coding session where there is one, this repository's own sources otherwise. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository, from `bench/src` and from `bench/dist`. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

/** Recorded sessions, where there are any. */
export const DATA: string = process.env['HOLDOVER_DATA'] ?? join(ROOT, '..', 'shared', 'data');

const RECORDED = join(DATA, 'pi', 'before-compaction.jsonl');

/** Pieces of text, and where they are from. */
export interface Corpus {
  readonly name: string;
  readonly text: string;
}

interface Block {
  readonly type?: string;
  readonly text?: string;
}

function recordedText(): string {
  const lines = readFileSync(RECORDED, 'utf8').split('\n');
  const texts = lines.flatMap((line) => {
    if (line === '') return [];
    const { message } = JSON.parse(line) as { message?: { content?: readonly Block[] } };
    const content = Array.isArray(message?.content) ? (message.content as readonly Block[]) : [];
    return content.flatMap((block) => (block.type === 'text' && block.text ? [block.text] : []));
  });
  return texts.join('\n');
}

/** All source files under `folder` with one of the endings, in the order of their names. */
export function filesUnder(folder: string, endings: readonly string[]): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (['node_modules', 'dist', '.git'].includes(entry.name)) return [];
    if (entry.isDirectory()) return filesUnder(path, endings);
    return endings.some((ending) => entry.name.endsWith(ending)) ? [path] : [];
  });
}

/** The texts of the files, one after the other. */
export function textOf(folder: string, endings: readonly string[]): string {
  return filesUnder(join(ROOT, folder), endings)
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

/** What messages are made of. */
export function sessionCorpus(): Corpus {
  return existsSync(RECORDED)
    ? { name: 'a recorded coding session', text: recordedText() }
    : { name: "this repository's sources", text: textOf('packages', ['.ts', '.md']) };
}
