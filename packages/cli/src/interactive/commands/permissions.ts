/** `/permissions`: the rules in force with their sources; `/permissions remove <rule>` takes one back. */
import { padEnd } from '../text/lines.ts';
import { sanitiseLine } from '../text/sanitise.ts';
import type { CommandHost, SlashCommand } from './command.ts';

function list({ session, theme, say }: CommandHost): void {
  const rules = session.rules();
  const otherwise = theme.dim('Otherwise reading in the folder is allowed, writing and commands are asked about.');
  if (rules.length === 0) return say(['No rules.', otherwise]);
  const text = Math.max(...rules.map((rule) => rule.text.length));
  const paints = { allow: theme.green, deny: theme.red, ask: theme.yellow };
  return say([
    ...rules.map(
      (rule) =>
        `${paints[rule.kind](padEnd(rule.kind, 5))}  ${padEnd(sanitiseLine(rule.text), text)}  ${theme.dim(rule.source)}`,
    ),
    otherwise,
    theme.dim('/permissions remove <rule> takes one back'),
  ]);
}

export const permissionsCommand: SlashCommand = {
  name: 'permissions',
  args: '[remove <rule>]',
  about: 'what is allowed without asking',
  isReadOnly: true,
  async run(args, host) {
    const rule = /^remove\s+(.+)$/.exec(args)?.[1];
    if (rule === undefined) return list(host);
    const wasThere = await host.session.forgetRule(rule);
    const shown = sanitiseLine(rule);
    return host.say([
      wasThere
        ? `The rule ${shown} is gone.`
        : `There is no rule ${shown} that can be taken back here; /permissions lists them.`,
    ]);
  },
};
