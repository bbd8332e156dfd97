/** A command of the terminal, `/name`, and what it may do. Commands know neither the screen nor the agent, only these ports. */
import type { SessionChoice } from '@holdover/agent';
import type { Receipt } from '@holdover/engine';
import type { Choice } from '../input/chooser.ts';
import type { SessionPort, SessionsPort } from '../session/session-port.ts';
import type { Theme } from '../text/theme.ts';

export interface CommandHost {
  readonly theme: Theme;
  readonly columns: number;
  readonly folder: string;
  readonly session: SessionPort;
  readonly sessions: SessionsPort;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
  say(lines: readonly string[]): void;
  /** Lines of which the first are shown and the rest folded. */
  sayFolded(lines: readonly string[]): void;
  sayCompaction(receipt: Receipt): void;
  working(what: string | undefined): void;
  /** Undefined where the user left it, or cannot be asked. */
  choose(title: string, items: readonly Choice[]): Promise<string | undefined>;
  /** Goes on in another session. */
  switchTo(choice: SessionChoice): Promise<void>;
  /** Puts a text into the editor. */
  draft(text: string): void;
  /** Draws what the session's state has changed. */
  refresh(): void;
  leave(): void;
}

export interface SlashCommand {
  readonly name: string;
  /** As `/help` shows it; '' without arguments. */
  readonly args: string;
  readonly about: string;
  /** Whether it may run while a turn does: it then only reads. */
  readonly isReadOnly: boolean;
  run(args: string, host: CommandHost): Promise<void>;
}
