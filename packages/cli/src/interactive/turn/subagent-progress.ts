/** What a sub-agent is doing now, in a few words, and what it has come to. */
import type { AgentEvent } from '@holdover/agent';
import { subjectOf } from '../blocks/describe-call.ts';
import { inWords } from '../run-note.ts';
import { plural, short } from '../text/numbers.ts';
import { sanitiseLine } from '../text/sanitise.ts';

function doingNow(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'reasoning-delta':
      return 'thinking';
    case 'text-delta':
      return 'writing';
    case 'tool-start':
      return `${event.name} ${subjectOf(event.name, event.input)}`;
    case 'tool-end':
      return 'working';
    case 'request-retry':
      return `↻ ${inWords(event.reason)}`;
    case 'fallback':
      return `${event.to} takes over from ${event.from}`;
    case 'notice':
      return `! ${event.text}`;
    case 'context':
      return event.event.type === 'summary-start' ? 'compacting' : undefined;
    default:
      return undefined;
  }
}

export class SubagentProgress {
  #rounds = 0;
  #tokens = 0;
  #doing = 'working';

  /** Whether there is something new to draw. */
  take(event: AgentEvent): boolean {
    if (event.type === 'turn-end') {
      const { usage } = event.receipt;
      this.#rounds += 1;
      this.#tokens += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
      return true;
    }
    const doing = doingNow(event);
    if (doing === undefined || doing === this.#doing) return false;
    this.#doing = doing;
    return true;
  }

  get doing(): string {
    const name = sanitiseLine(this.#doing);
    return this.#rounds === 0 ? name : `${name} · round ${this.#rounds + 1}`;
  }

  /** Tokens as billed, input and output. */
  get total(): string {
    return `${plural(this.#rounds, 'round')}, ${short(this.#tokens)} tokens`;
  }
}
