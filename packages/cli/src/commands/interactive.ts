/** `holdover` without a prompt: a conversation in the current folder, on a screen where there is one, by lines where there is none. */
import { join } from 'node:path';
import type { SessionChoice } from '@holdover/agent';
import { canDraw, stopEarly, takeFrame } from '../interactive/early.ts';
import type { SessionListener, SessionsPort } from '../interactive/session/session-port.ts';
import type { Settings } from '../settings/definitions.ts';

export interface InteractiveOptions {
  /** Throws where a setting is no good; asked for when errors can be shown. */
  readonly settings: () => Settings;
  readonly session: SessionChoice;
  readonly folder: string;
  /** The folder of the user's own settings. */
  readonly configFolder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly out: (text: string) => void;
}

/** Resolves to the exit status. Rejects, the terminal given back, where no session could be opened. */
export async function interactive(options: InteractiveOptions): Promise<number> {
  const { folder, env, session: choice, configFolder, out } = options;
  const connect = async (listener: SessionListener): Promise<SessionsPort> => {
    const { createSessions } = await import('../interactive/session/agent-session.ts');
    return createSessions({ folder, userFolder: configFolder, env, settings: options.settings(), listener });
  };
  if (!canDraw(env)) {
    const { runPlain } = await import('../interactive/plain.ts');
    return runPlain({ folder, choice, connect, out });
  }
  try {
    const early = await takeFrame(env);
    const [{ App }, { openHistory }] = await Promise.all([
      import('../interactive/app.ts'),
      import('../interactive/input/prompt-history.ts'),
    ]);
    const history = openHistory(join(configFolder, 'prompts.jsonl'));
    return await new App({ early, folder, history, choice, connect }).run();
  } finally {
    stopEarly();
  }
}
