/** `/undo`: takes the newest compaction back. */
import type { EpochDiff } from '@holdover/engine';
import { plural, short } from '../text/numbers.ts';
import type { SlashCommand } from './command.ts';

/** What the replacements of a compaction stand for, in one phrase. */
export function placesOf({ changes }: EpochDiff): string {
  const whole = changes.filter(({ part }) => part === undefined);
  const messages = whole.reduce((sum, { from, to }) => sum + to - from, 0);
  const parts = changes.length - whole.length;
  const phrases = [
    ...(messages === 0 ? [] : [plural(messages, 'message')]),
    ...(parts === 0 ? [] : [plural(parts, 'result')]),
  ];
  return phrases.join(', ');
}

export const undoCommand: SlashCommand = {
  name: 'undo',
  args: '',
  about: 'take the newest compaction back',
  isReadOnly: false,
  async run(_args, { session, say, theme, refresh }) {
    const undone = await session.undo();
    refresh();
    if (undone === undefined) return say(['There is no compaction to take back.']);
    const { tokensBefore, tokensAfter } = undone;
    const sizes = `${short(tokensAfter)} → ${short(tokensBefore)} tokens`;
    return say([
      `${theme.magenta('◆')} the newest compaction was taken back · in the context again: ${placesOf(undone)}, ${sizes} · /redo`,
    ]);
  },
};
