/** A request that is tried again: one line for all its attempts. */
import type { AgentEvent } from '@holdover/agent';
import { type Block, fixedBlock } from '../blocks/block.ts';
import { inWords } from '../run-note.ts';
import { wrap } from '../text/lines.ts';
import { exact } from '../text/numbers.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';
import type { Stage } from './stage.ts';

export class Retries {
  readonly #stage: Stage;
  readonly #theme: Theme;
  /** What stands there for the request under way. */
  #said: { line: string } | undefined;
  #block: Block | undefined;

  constructor(stage: Stage, theme: Theme) {
    this.#stage = stage;
    this.#theme = theme;
  }

  add({ reason, waitMs }: Extract<AgentEvent, { type: 'request-retry' }>): void {
    const wait = waitMs > 0 ? `, again in ${exact(Math.ceil(waitMs / 1_000))} s` : '';
    const line = this.#theme.dim(sanitise(`↻ ${inWords(reason)}${wait}`));
    if (this.#said !== undefined && this.#block !== undefined) {
      this.#said.line = line;
      return this.#stage.changed(this.#block);
    }
    const said = { line };
    this.#said = said;
    this.#block = fixedBlock((columns) => wrap(said.line, columns));
    return this.#stage.add(this.#block);
  }

  /** The request was answered. */
  end(): void {
    this.#said = undefined;
  }
}
