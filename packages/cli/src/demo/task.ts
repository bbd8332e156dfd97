/**
 * The demo's task: one long instruction in plain words, another one for every seed. It says what is to be done and nothing of how the
 * context is kept; the layers fire because the session needs them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceFile } from './scratch.ts';

export interface Change {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export interface DemoTask {
  readonly prompt: string;
  readonly changes: readonly Change[];
  /** Files the report has a line about, in order. */
  readonly reported: readonly string[];
  readonly reportPath: string;
}

/** Mulberry32: small, well-mixed, the same everywhere. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}

const REPORT = 'REPORT.md';

/** A sources folder whose files together are more than one message may hold, and not more than a few dozen. */
function bigFolders(files: readonly SourceFile[]): readonly string[] {
  const folders = new Map<string, { bytes: number; count: number }>();
  for (const { path, bytes } of files) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    const sum = folders.get(folder) ?? { bytes: 0, count: 0 };
    folders.set(folder, { bytes: sum.bytes + bytes, count: sum.count + 1 });
  }
  return [...folders].filter(([, { bytes, count }]) => bytes > 36_000 && count <= 40).map(([folder]) => folder);
}

/** A change of one line that occurs once: the first line of a file's opening comment gets a note. */
function changeOf(scratch: string, { path }: SourceFile): Change | undefined {
  const [first = ''] = readFileSync(join(scratch, path), 'utf8').split('\n');
  const isComment = first.startsWith('/**') && first.endsWith('*/') && !/["`']/.test(first);
  return isComment ? { path, before: first, after: first.replace('/**', '/** (Checked.)') } : undefined;
}

const SEARCHES = ['export function', 'readonly', 'throw new', 'import type', 'async function', 'Promise<'];
const COMMANDS = [
  'ls packages',
  'wc -l package.json',
  'head -n 5 package.json',
  'find packages -name package.json',
  'node --version',
  'grep -c name package.json',
];

/** Files of `order` whose texts together have about `chars` characters, taken from its front, each used once. */
function takeGroup(order: SourceFile[], chars: number): readonly string[] {
  const group: string[] = [];
  let sum = 0;
  for (const file of [...order]) {
    if (sum + file.bytes > chars) continue;
    order.splice(order.indexOf(file), 1);
    group.push(file.path);
    sum += file.bytes;
  }
  return group;
}

export function createTask(scratch: string, files: readonly SourceFile[], seed: number): DemoTask {
  const random = createRandom(seed);
  const order = shuffled(files, random);
  const single = order.filter(({ bytes }) => bytes >= 2_500 && bytes < 9_000).slice(0, 18);
  const small = order.filter(({ bytes }) => bytes >= 400 && bytes < 2_500).slice(0, 10);
  const rest = order.filter((file) => !single.includes(file) && !small.includes(file) && file.bytes > 1_000);
  const changes = shuffled(files, random)
    .flatMap((file) => changeOf(scratch, file) ?? [])
    .slice(0, 3);
  const changed = new Set(changes.map(({ path }) => path));
  const reported = single
    .map(({ path }) => path)
    .filter((path) => !changed.has(path))
    .slice(0, 6);
  const folder = shuffled(bigFolders(files), random)[0] ?? 'packages/engine/src/core';
  const searches = shuffled(SEARCHES, random);
  const commands = shuffled(COMMANDS, random);
  const read = (list: readonly SourceFile[]): string =>
    `Read the file ${list.map(({ path }) => `\`${path}\``).join(', then read ')}.`;
  const look = (chars: number): string => `Run \`cat ${takeGroup(rest, chars).join(' ')}\`.`;
  const steps = [
    'Plan the work as a todo list.',
    read(single.slice(0, 5)),
    `Search for "${searches[0]}" in packages/engine/src/core.`,
    read(small),
    `Search for "${searches[2]}" in packages/simulator/src.`,
    ...changes.map(({ path, before, after }) => `In \`${path}\` replace "${before}" with "${after}".`),
    ...commands.slice(0, 4).map((command) => `Run \`${command}\`.`),
    `Search for "${searches[3]}" in packages/engine/src/codecs.`,
    `Read every file in ${folder}/ and package-lock.json.`,
    `Run \`${commands[4]}\`.`,
    ...[13_000, 13_000, 15_000, 17_000, 19_000, 20_000].map(look),
    read(single.slice(5, 9)),
    `Search for "${searches[1]}" in packages/agent/src.`,
    ...[20_000, 20_000, 20_000].map(look),
    read(single.slice(9, 18)),
    ...[19_000, 19_000, 19_000].map(look),
    `Run \`${commands[5]}\`.`,
    'Compact the conversation.',
    `Write ${REPORT} with "# Report\\n".`,
    ...reported.map((path) => `Add to ${REPORT} a line about \`${path}\`: its line count and size in characters.`),
    `Run \`cat ${REPORT}\`.`,
  ];
  const prompt = [
    'This repository needs a short report. You must not change any file I do not name. The steps, in order:',
    ...steps.map((step, index) => `${index + 1}. ${step}`),
  ].join('\n');
  return { prompt, changes, reported, reportPath: REPORT };
}
