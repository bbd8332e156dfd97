/** What happens as plain lines: each is printed once, when it is over. */
import type { AgentEvent } from '@holdover/agent';
import { compactionText, isWorthALine } from './blocks/compaction-block.ts';
import { outcomeOf, subjectOf } from './blocks/describe-call.ts';
import { inWords } from './run-note.ts';
import { sanitise, sanitiseLine } from './text/sanitise.ts';

export interface PlainEvents {
  onEvent(event: AgentEvent): void;
}

export function createPlainEvents(line: (text: string) => void): PlainEvents {
  const inputs = new Map<string, unknown>();
  const toolEnd = ({ id, name, text, isError }: Extract<AgentEvent, { type: 'tool-end' }>): void => {
    const subject = subjectOf(name, inputs.get(id));
    inputs.delete(id);
    line(`* ${name} ${subject}  ${isError ? 'failed' : outcomeOf(name, text)}`);
    if (isError) line(`  ${sanitiseLine(text)}`);
  };
  return {
    onEvent(event) {
      switch (event.type) {
        case 'assistant-message':
          if (event.text.trim() !== '') line(sanitise(event.text).trim());
          return;
        case 'tool-start':
          inputs.set(event.id, event.input);
          return;
        case 'tool-end':
          return toolEnd(event);
        case 'notice':
          return line(`! ${sanitiseLine(event.text)}`);
        case 'request-retry':
          return line(`again: ${sanitiseLine(inWords(event.reason))}`);
        case 'context':
          if (event.event.type === 'turn-accept' && isWorthALine(event.event.receipt))
            line(compactionText(event.event.receipt));
          return;
        default:
      }
    },
  };
}
