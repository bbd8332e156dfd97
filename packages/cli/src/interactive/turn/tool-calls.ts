/** The calls of a turn on the screen; below a `task`, what its sub-agent is doing. */
import type { AgentEvent } from '@holdover/agent';
import { subjectOf } from '../blocks/describe-call.ts';
import { type ToolBlock, toolBlock } from '../blocks/tool-block.ts';
import { sanitiseLine } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';
import type { Stage } from './stage.ts';
import { SubagentProgress } from './subagent-progress.ts';

interface Running {
  readonly block: ToolBlock;
  /** What is called, in a few words. */
  readonly what: string;
  readonly subject: string;
  progress: SubagentProgress | undefined;
}

const WHAT_CHARS = 60;

export class ToolCalls {
  readonly #stage: Stage;
  readonly #theme: Theme;
  readonly #running = new Map<string, Running>();
  /** The task whose sub-agent made a call, by the input of the call, which questions about it carry. */
  readonly #askers = new WeakMap<object, string>();

  constructor(stage: Stage, theme: Theme) {
    this.#stage = stage;
    this.#theme = theme;
  }

  start({ id, name, input }: Extract<AgentEvent, { type: 'tool-start' }>): void {
    const block = toolBlock({ name, input }, this.#theme);
    const subject = subjectOf(name, input);
    this.#running.set(id, { block, what: sanitiseLine(`${name} ${subject}`), subject, progress: undefined });
    this.#stage.add(block);
    this.#tell();
  }

  end({ id, text, isError }: Extract<AgentEvent, { type: 'tool-end' }>): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.block.end({ text, isError });
    this.#running.delete(id);
    this.#stage.changed(running.block);
    this.#tell();
  }

  subagent({ id, event }: Extract<AgentEvent, { type: 'subagent' }>): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    if (event.type === 'tool-start' && typeof event.input === 'object' && event.input !== null)
      this.#askers.set(event.input, running.subject);
    running.progress ??= new SubagentProgress();
    if (!running.progress.take(event)) return;
    running.block.setProgress(running.progress);
    this.#stage.changed(running.block);
  }

  /** The task for which a sub-agent made the call with this input; undefined for calls of the main agent. */
  taskOf(input: unknown): string | undefined {
    return typeof input === 'object' && input !== null ? this.#askers.get(input) : undefined;
  }

  clear(): void {
    this.#running.clear();
  }

  #tell(): void {
    const newest = [...this.#running.values()].at(-1);
    if (newest === undefined) return this.#stage.working('working');
    const others = this.#running.size - 1;
    const more = others === 0 ? '' : ` and ${others} more`;
    this.#stage.working(`${newest.what.slice(0, WHAT_CHARS)}${more}`);
  }
}
