/** The folder of a soak: what is in it at first, and a model of what is to be in it. */
import type { AgentEvent } from '@holdover/agent';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

export const FILE_COUNT = 12;
/** Stands in every file: edits hold on to it. */
export const MARK = '// mark';

const SKILLS = ['alpha', 'beta'];

function put(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

export function makeWorkspace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdover-soak-'));
  for (let number = 1; number <= FILE_COUNT; number += 1) {
    const lines = Array.from({ length: 40 }, (_, line) => `const v${line} = ${line * number};`);
    put(folder, `src/file${number}.ts`, [`// file ${number}`, MARK, ...lines, ''].join('\n'));
  }
  for (const name of SKILLS) {
    const text = `---\nname: ${name}\ndescription: How to do ${name}.\n---\n${`Do ${name} with care.\n`.repeat(50)}`;
    put(folder, `.holdover/skills/${name}/SKILL.md`, text);
  }
  put(folder, 'AGENTS.md', 'Keep it short.\n');
  return folder;
}

/** The files of the folder that are the model's work, by path. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const visit = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const full = join(path, entry.name);
      if (entry.isDirectory()) visit(full);
      else files.set(relative(folder, full), readFileSync(full, 'utf8'));
    }
  };
  visit(folder);
  return files;
}

interface Change {
  readonly path: string;
  readonly apply: (before: string | undefined) => string | undefined;
}

function changeOf(name: string, input: unknown): Change | undefined {
  const { path, content, old_text: from, new_text: to } = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string') return undefined;
  if (name === 'write_file' && typeof content === 'string') return { path, apply: () => content };
  if (name !== 'edit_file' || typeof from !== 'string' || typeof to !== 'string') return undefined;
  return { path, apply: (before) => before?.replace(from, () => to) };
}

/** What the files have to be, by what the tools said they did. */
export interface FolderModel {
  readonly onEvent: (event: AgentEvent) => void;
  /** Differences between the model and the folder, a line each; the folder is believed from then on. */
  check(): readonly string[];
  readonly checked: () => number;
}

export function createFolderModel(folder: string): FolderModel {
  const files = new Map(filesIn(folder));
  const running = new Map<string, Change>();
  let checked = 0;
  /** An interrupted call may have run or not: both are right, nothing else is. */
  const settle = ({ path, apply }: Change): void => {
    const before = files.get(path);
    const now = existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : undefined;
    if (now !== before && now === apply(before) && now !== undefined) files.set(path, now);
  };
  const onEvent = (event: AgentEvent): void => {
    if (event.type === 'subagent') return onEvent(event.event);
    if (event.type === 'tool-start') {
      const change = changeOf(event.name, event.input);
      if (change !== undefined) running.set(event.id, change);
    }
    if (event.type !== 'tool-end') return;
    const change = running.get(event.id);
    running.delete(event.id);
    if (change === undefined) return;
    if (event.isError) return /interrupted/.test(event.text) ? settle(change) : undefined;
    const after = change.apply(files.get(change.path));
    if (after !== undefined) files.set(change.path, after);
  };
  return {
    onEvent,
    checked: () => checked,
    check() {
      const found = filesIn(folder);
      const paths = new Set([...files.keys(), ...found.keys()]);
      checked += paths.size;
      const wrong = [...paths].filter((path) => files.get(path) !== found.get(path));
      for (const path of wrong) {
        const now = found.get(path);
        if (now === undefined) files.delete(path);
        else files.set(path, now);
      }
      return wrong.map((path) => `${path} is not what was written to it`);
    },
  };
}
