/** `/help` and `/quit`. */
import { twoColumns } from '../text/lines.ts';
import type { Theme } from '../text/theme.ts';
import type { SlashCommand } from './command.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['Enter', 'send; while the agent works, queue'],
  ['Shift-Enter, \\ Enter', 'a new line'],
  ['Up, Down', 'earlier prompts'],
  ['Tab', 'complete a command or a path'],
  ['@', 'name a file; its text goes with the message'],
  ['Ctrl-O', 'unfold the newest results, fold them again'],
  ['Esc, Ctrl-C', 'interrupt the turn; nothing is lost'],
  ['Alt-Up', 'take the last queued message back'],
  ['Ctrl-C twice, Ctrl-D', 'leave; --continue goes on'],
  ['Ctrl-Z', 'suspend; fg comes back'],
];

export function helpLines(commands: readonly SlashCommand[], columns: number, theme: Theme): readonly string[] {
  const rows = commands.map(({ name, args, about }) => [args === '' ? `/${name}` : `/${name} ${args}`, about] as const);
  const painted = [...rows, ...KEYS].map(([left, right]) => [theme.cyan(left), right] as const);
  const lines = (from: number, to: number): readonly string[] => twoColumns(painted.slice(from, to), columns);
  return [
    theme.bold('Commands'),
    ...lines(0, rows.length),
    '',
    theme.bold('Keys'),
    ...lines(rows.length, painted.length),
  ];
}

/** `commands`: all of them, asked for when it runs, since it is one of them. */
export function createHelpCommand(commands: () => readonly SlashCommand[]): SlashCommand {
  return {
    name: 'help',
    args: '',
    about: 'commands and keys',
    isReadOnly: true,
    async run(_args, { say, theme, columns }) {
      say(helpLines(commands(), columns, theme));
    },
  };
}

export const quitCommand: SlashCommand = {
  name: 'quit',
  args: '',
  about: 'leave; the session is kept',
  isReadOnly: true,
  async run(_args, { leave }) {
    leave();
  },
};
