/** `/model [id]`: the model the next messages go to. */
import { type ModelFacts, modelFacts } from '@holdover/engine';
import { exact, short } from '../text/numbers.ts';
import { sanitiseLine } from '../text/sanitise.ts';
import type { Choice } from '../input/chooser.ts';
import type { CommandHost, SlashCommand } from './command.ts';

/** Window, and list price in US dollars a million tokens. */
function factsLine({ windowTokens, price }: ModelFacts): string {
  const window = `${short(windowTokens)} window`;
  if (price === undefined) return window;
  return `${window} · $${price.inputUsd} in, $${price.outputUsd} out per million`;
}

function choiceOf(facts: ModelFacts, current: string): Choice {
  const isCurrent = facts.id === current;
  return {
    value: facts.id,
    label: isCurrent ? `${facts.id} ✓` : facts.id,
    description: factsLine(facts),
    isCurrent,
  };
}

async function chosen({ session, sessions, choose, say, theme }: CommandHost): Promise<string | undefined> {
  const offered = session.models();
  if (offered.length > 0)
    return choose(
      'Go on with',
      offered.map((facts) => choiceOf(facts, session.model)),
    );
  say([
    `${sanitiseLine(session.model)} · ${sanitiseLine(sessions.about)}`,
    theme.dim('/model <id> changes to another one the same server has'),
  ]);
  return undefined;
}

export const modelCommand: SlashCommand = {
  name: 'model',
  args: '[id]',
  about: 'see or change the model',
  isReadOnly: false,
  async run(args, host) {
    const { session, say, refresh, theme } = host;
    const id = args === '' ? await chosen(host) : args;
    if (id === undefined) return undefined;
    const name = sanitiseLine(id);
    if (id === session.model) return say([`${name} answers already.`]);
    const refusal = session.setModel(id);
    if (refusal !== undefined) return say([theme.yellow(sanitiseLine(refusal))]);
    refresh();
    const facts = modelFacts(id);
    const assumed = facts.isAssumed
      ? ` Nothing sure is known of it: a window of ${exact(facts.windowTokens)} tokens is assumed.`
      : '';
    return say([`The next message goes to ${name}.${assumed}`]);
  },
};
