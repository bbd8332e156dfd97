/**
 * What is true now and no summary has to remember: the task list, the skills in use, the files last worked on, as they are on disk. The engine
 * asks for it once for each summary and freezes it beside the text.
 */
import type { Codec, StateItem } from '@holdover/engine';
import { type HistoryCall, historyCalls } from '../file-state/history-calls.ts';
import type { Permissions } from '../permissions/permissions.ts';
import { readSkill, type Skill } from '../skills/find-skills.ts';
import { isBinary } from '../tools/read-file.ts';
import type { TodoList } from '../tools/todo-write.ts';
import { openConfined } from '../workspace/confined-files.ts';
import { relativeTo, type Workspace } from '../workspace/workspace.ts';

export interface StateSources {
  readonly history: () => readonly object[];
  readonly codec: Codec;
  readonly todos: TodoList;
  readonly skills: readonly Skill[];
  readonly workspace: Workspace;
  readonly permissions: Pick<Permissions, 'mayRead'>;
}

/** Claude Code's documented numbers: five files and every skill in use, 5,000 tokens each; skills 25,000 together. */
const MAX_FILES = 5;
const ITEM_TOKENS = 5_000;
const MAX_SKILLS = 5;

/** Read of a file at most: what 5,000 tokens can show is in it. */
const MAX_FILE_BYTES = 64_000;

const RANK = { todos: 0, skills: 10, files: 20 } as const;
const FILE_TOOLS: ReadonlySet<string> = new Set(['read_file', 'write_file', 'edit_file']);

function field(input: unknown, name: string): string | undefined {
  const value = input === null || typeof input !== 'object' ? undefined : (input as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}

function todoItems({ items }: TodoList): readonly StateItem[] {
  if (items.length === 0) return [];
  const text = items.map(({ content, status }) => `- ${content} (${status})`).join('\n');
  return [{ name: 'the task list of todo_write', text, maxTokens: ITEM_TOKENS, rank: RANK.todos }];
}

/** Newest first, each once. */
function newest(names: readonly (string | undefined)[], most: number): readonly string[] {
  const known = names.filter((name) => name !== undefined);
  return [...new Set(known.toReversed())].slice(0, most);
}

async function skillItems(
  calls: readonly HistoryCall[],
  { skills, workspace, permissions }: StateSources,
): Promise<readonly StateItem[]> {
  const mayShow = ({ source, path }: Skill): boolean =>
    source === 'user' || permissions.mayRead(relativeTo(workspace.root, path));
  const loaded = calls.filter(({ name, isError }) => name === 'load_skill' && !isError);
  const names = newest(
    loaded.map(({ input }) => field(input, 'name')?.trim().normalize('NFC')),
    MAX_SKILLS,
  );
  const found = names.flatMap((name) => skills.find((skill) => skill.name === name) ?? []).filter(mayShow);
  const items = await Promise.all(
    found.map(async ({ name, path }, index) => {
      const file = await readSkill(path);
      const about = `the skill ${name}, loaded before`;
      return file.ok ? { name: about, text: file.text, maxTokens: ITEM_TOKENS, rank: RANK.skills + index } : undefined;
    }),
  );
  return items.filter((item) => item !== undefined);
}

async function textOf(path: string): Promise<string | undefined> {
  const opened = await openConfined(path);
  if (!opened.ok) return undefined;
  try {
    const buffer = Buffer.alloc(Math.min(MAX_FILE_BYTES, opened.sizeBytes));
    const { bytesRead } = await opened.handle.read(buffer, 0, buffer.length, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytesRead === 0 || isBinary(bytes)) return undefined;
    const text = new TextDecoder('utf-8').decode(bytes);
    return opened.sizeBytes > bytesRead ? `${text}\n(${opened.sizeBytes - bytesRead} more bytes on disk)` : text;
  } finally {
    await opened.handle.close();
  }
}

async function fileItems(calls: readonly HistoryCall[], sources: StateSources): Promise<readonly StateItem[]> {
  const { workspace, permissions } = sources;
  const paths = calls.filter(({ name }) => FILE_TOOLS.has(name)).map(({ input }) => field(input, 'path'));
  const resolved = newest(paths, paths.length).flatMap((path) => {
    const place = workspace.resolve(path, 'read');
    // Rules that forbid look at the name that was written as well as at what it leads to.
    return place.ok && [place.relative, place.named].every((name) => permissions.mayRead(name)) ? [place] : [];
  });
  const distinct = [...new Map(resolved.map((place) => [place.path, place])).values()].slice(0, MAX_FILES);
  const items = await Promise.all(
    distinct.map(async ({ path, relative }, index) => {
      const text = await textOf(path);
      const name = `the file ${relative} as it is on disk now`;
      return text === undefined ? undefined : { name, text, maxTokens: ITEM_TOKENS, rank: RANK.files + index };
    }),
  );
  return items.filter((item) => item !== undefined);
}

export async function stateItems(sources: StateSources): Promise<readonly StateItem[]> {
  const calls = historyCalls(sources.history(), sources.codec);
  const [skills, files] = await Promise.all([skillItems(calls, sources), fileItems(calls, sources)]);
  return [...todoItems(sources.todos), ...skills, ...files];
}
