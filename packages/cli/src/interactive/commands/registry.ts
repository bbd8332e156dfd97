/** All commands, how a line names one, and what is nearest to a name that is none. */
import { clearCommand } from './clear.ts';
import type { SlashCommand } from './command.ts';
import { compactCommand } from './compact.ts';
import { contextCommand } from './context.ts';
import { costCommand } from './cost.ts';
import { diffCommand } from './diff.ts';
import { exportCommand } from './export.ts';
import { createHelpCommand, quitCommand } from './help.ts';
import { modelCommand } from './model.ts';
import { permissionsCommand } from './permissions.ts';
import { pinCommand } from './pin.ts';
import { recallCommand } from './recall.ts';
import { redoCommand } from './redo.ts';
import { resumeCommand } from './resume.ts';
import { rewindCommand } from './rewind.ts';
import { undoCommand } from './undo.ts';

export const COMMANDS: readonly SlashCommand[] = [
  contextCommand,
  compactCommand,
  undoCommand,
  redoCommand,
  diffCommand,
  recallCommand,
  pinCommand,
  rewindCommand,
  clearCommand,
  resumeCommand,
  costCommand,
  modelCommand,
  permissionsCommand,
  exportCommand,
  createHelpCommand(() => COMMANDS),
  quitCommand,
];

export type Parsed =
  | { readonly kind: 'command'; readonly command: SlashCommand; readonly args: string }
  | { readonly kind: 'unknown'; readonly name: string; readonly nearest: string };

const ALIASES: Readonly<Record<string, string>> = { exit: 'quit', q: 'quit', new: 'clear', '?': 'help' };

/** A line that begins with `/` and a word of letters; a path such as `/etc/hosts is wrong` is a message. Undefined for messages. */
export function parseCommand(line: string): Parsed | undefined {
  const [, word, rest = ''] = /^\/([a-z?-]+)(?:\s+([\s\S]*))?$/i.exec(line.trim()) ?? [];
  if (word === undefined) return undefined;
  const name = word.toLowerCase();
  const command = COMMANDS.find((one) => one.name === (ALIASES[name] ?? name));
  if (command !== undefined) return { kind: 'command', command, args: rest.trim() };
  return { kind: 'unknown', name, nearest: nearestName(name) };
}

/** By the number of letters to change, put in or take out; the first of several. */
export function nearestName(name: string): string {
  const scored = COMMANDS.map((command) => ({ name: command.name, letters: editDistance(name, command.name) }));
  return scored.toSorted((a, b) => a.letters - b.letters)[0]?.name ?? 'help';
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (const [column, other] of [...to].entries()) {
      const change = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
