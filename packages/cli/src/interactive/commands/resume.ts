/** `/resume [id]`: goes on with another session of the folder. */
import type { SessionSummary } from '@holdover/agent';
import { ago, bytes, plural } from '../text/numbers.ts';
import { sanitiseLine } from '../text/sanitise.ts';
import type { SlashCommand } from './command.ts';

export function describeSession({ usedAtMs, bytes: size, messages, isOpen }: SessionSummary, nowMs: number): string {
  const parts = [ago(usedAtMs, nowMs), plural(messages, 'message'), bytes(size), ...(isOpen ? ['open elsewhere'] : [])];
  return parts.join(' · ');
}

export const resumeCommand: SlashCommand = {
  name: 'resume',
  args: '[id]',
  about: 'go on with another session of this folder',
  isReadOnly: false,
  async run(args, { session, sessions, choose, switchTo, say }) {
    if (args !== '') return switchTo({ kind: 'resume', id: args });
    const others = (await sessions.list()).filter(({ id }) => id !== session.sessionId);
    if (others.length === 0) return say(['There is no other session in this folder.']);
    const now = Date.now();
    const items = others.map((one) => ({
      value: one.id,
      label: one.title === '' ? '(no message yet)' : sanitiseLine(one.title),
      description: describeSession(one, now),
    }));
    const id = await choose('Sessions of this folder', items);
    return id === undefined ? undefined : switchTo({ kind: 'resume', id });
  },
};
