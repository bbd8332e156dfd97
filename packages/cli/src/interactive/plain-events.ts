/** What happens as plain lines: each is printed once, when it is over. */
import type { AgentEvent } from '@holdover/agent';
import type { ContextEvent } from '@holdover/engine';
import { compactionText, heldBack, isWorthALine } from './blocks/compaction-block.ts';
import { outcomeOf, subjectOf } from './blocks/describe-call.ts';
import { thinkingLine } from './blocks/thinking-block.ts';
import { inWords } from './run-note.ts';
import { exact } from './text/numbers.ts';
import { sanitise, sanitiseLine } from './text/sanitise.ts';
import { SubagentProgress } from './turn/subagent-progress.ts';

export interface PlainEvents {
  onEvent(event: AgentEvent): void;
  /** The task for which a sub-agent made the call with this input; undefined for calls of the main agent. */
  taskOf(input: unknown): string | undefined;
}

class Lines implements PlainEvents {
  readonly #line: (text: string) => void;
  readonly #inputs = new Map<string, unknown>();
  readonly #subagents = new Map<string, SubagentProgress>();
  readonly #askers = new WeakMap<object, string>();
  #thinkingSinceMs: number | undefined;
  #held = '';

  constructor(line: (text: string) => void) {
    this.#line = line;
  }

  onEvent(event: AgentEvent): void {
    if (event.type === 'reasoning-delta') this.#thinkingSinceMs ??= Date.now();
    else if (event.type !== 'context') this.#endThinking();
    switch (event.type) {
      case 'assistant-message':
        if (event.text.trim() !== '') this.#line(sanitise(event.text).trim());
        return undefined;
      case 'tool-start':
        this.#inputs.set(event.id, event.input);
        return undefined;
      case 'tool-end':
        return this.#toolEnd(event, '');
      case 'subagent':
        return this.#subagent(event);
      case 'context':
        return this.#context(event.event);
      default:
        return this.#aside(event);
    }
  }

  taskOf(input: unknown): string | undefined {
    return typeof input === 'object' && input !== null ? this.#askers.get(input) : undefined;
  }

  #aside(event: AgentEvent): void {
    if (event.type === 'request-retry') this.#line(`again: ${sanitiseLine(inWords(event.reason))}`);
    if (event.type === 'notice') this.#line(`! ${sanitiseLine(event.text)}`);
    if (event.type === 'fallback')
      this.#line(`! ${sanitiseLine(`${event.from} is overloaded: ${event.to} takes over for this message`)}`);
    if (event.type === 'session-start' && event.forkedFrom !== undefined)
      this.#line(`! session ${sanitiseLine(event.forkedFrom)} is open in another process; this goes on in a copy`);
  }

  #endThinking(): void {
    if (this.#thinkingSinceMs !== undefined) this.#line(thinkingLine(Date.now() - this.#thinkingSinceMs));
    this.#thinkingSinceMs = undefined;
  }

  #toolEnd({ id, name, text, isError }: Extract<AgentEvent, { type: 'tool-end' }>, indent: string): void {
    const subject = subjectOf(name, this.#inputs.get(id));
    const total = this.#subagents.get(id)?.total;
    this.#inputs.delete(id);
    this.#subagents.delete(id);
    const outcome = isError ? 'failed' : outcomeOf(name, text);
    this.#line(`${indent}* ${name} ${subject}  ${total === undefined ? outcome : `${total} · ${outcome}`}`);
    if (isError) this.#line(`${indent}  ${sanitiseLine(text)}`);
  }

  /** Its calls, a step further in; several may take turns. */
  #subagent({ id, event }: Extract<AgentEvent, { type: 'subagent' }>): void {
    const progress = this.#subagents.get(id) ?? new SubagentProgress();
    this.#subagents.set(id, progress);
    progress.take(event);
    if (event.type === 'tool-start') {
      this.#inputs.set(event.id, event.input);
      if (typeof event.input === 'object' && event.input !== null)
        this.#askers.set(event.input, subjectOf('task', this.#inputs.get(id)));
    }
    if (event.type === 'tool-end') this.#toolEnd(event, '    ');
  }

  #context(event: ContextEvent): void {
    if (event.type === 'turn-accept' && isWorthALine(event.receipt)) this.#line(compactionText(event.receipt));
    if (event.type === 'summary-end' && event.refusal !== undefined)
      this.#line(`! the summary was refused: ${sanitiseLine(event.refusal)}`);
    if (event.type === 'silent-truncation')
      this.#line(`! the provider cut the prompt: ${exact(event.reportedTokens)} tokens arrived`);
    if (event.type !== 'turn-start') return;
    const held = heldBack(event.receipt).join('; ');
    if (held !== '' && held !== this.#held) this.#line(`! ${sanitiseLine(held)}`);
    this.#held = held;
  }
}

export function createPlainEvents(line: (text: string) => void): PlainEvents {
  return new Lines(line);
}
