/** Events as single lines, the same in a terminal and in a pipe. */
import type { AgentEvent } from '@holdover/agent';
import type { ContextEvent } from '@holdover/engine';
import { sanitise } from '../interactive/text/sanitise.ts';

const PREVIEW_CHARS = 70;
/** What went wrong, and what would mend it, has to be read whole. */
const FAILURE_CHARS = 400;

function oneLine(text: string, chars = PREVIEW_CHARS): string {
  const flat = sanitise(text).replace(/\s+/g, ' ').trim();
  return flat.length > chars ? `${flat.slice(0, chars - 1)}…` : flat;
}

const number = new Intl.NumberFormat('en-US');

/** What the teaching system prints when a summary is due. */
const TRIGGER_LABEL = { threshold: '[auto compact]', manual: '[compact]', overflow: '[reactive compact]' } as const;

function describeOverflow({
  what,
  requestedTokens,
  limitTokens,
}: Extract<ContextEvent, { type: 'turn-overflow' }>): string {
  const size = requestedTokens === undefined ? 'too much' : `${number.format(requestedTokens)} tokens`;
  const limit = limitTokens === undefined ? '' : `, the window is ${number.format(limitTokens)}`;
  if (what === 'cut')
    return `[cut] the reply hit the end of the window (prompt ${size}${limit}): asking again with less`;
  return `[too long] the provider refused the request: ${size}${limit}`;
}

/** A summary that was due and that a hook would not have. */
function describeHeld(held: readonly string[]): string | undefined {
  const why = held.find((note) => /^summary: \w+, held back by the host: /.test(note));
  return why === undefined ? undefined : `[held back] ${oneLine(why, FAILURE_CHARS)}`;
}

function describeContext(event: ContextEvent): string | undefined {
  switch (event.type) {
    case 'layer-apply': {
      const edits = `${event.edits} ${event.edits === 1 ? 'edit' : 'edits'}`;
      return `[${event.layer}] ${edits}, view ${number.format(event.tokensBefore)} → ${number.format(event.tokensAfter)} tokens`;
    }
    case 'summary-start':
      return `${TRIGGER_LABEL[event.trigger]} asking ${event.writer} for a summary`;
    case 'summary-end':
      return event.refusal === undefined
        ? undefined
        : `${TRIGGER_LABEL[event.trigger]} summary refused: ${event.refusal}`;
    case 'turn-overflow':
      return describeOverflow(event);
    case 'silent-truncation':
      return `[truncated] the provider cut the prompt: ${event.reportedTokens} tokens reported, ${event.estimatedTokens} expected`;
    case 'turn-start':
      return describeHeld(event.receipt.held);
    case 'epoch-undo':
      return '[undo] the newest compaction was taken back';
    default:
      return undefined;
  }
}

function describeStart({ sessionId, isResumed, forkedFrom }: Extract<AgentEvent, { type: 'session-start' }>): string {
  if (forkedFrom === undefined) return `session ${sessionId}${isResumed ? ', continued' : ''}`;
  return `[fork] session ${forkedFrom} is open in another process; this goes on in a copy, ${sessionId}`;
}

/** A sub-agent's lines stand under the call that made it. */
function indented(line: string | undefined): string | undefined {
  return line === undefined ? undefined : `    ${line}`;
}

/** A line for an event worth one, safe for a terminal; undefined for the rest. */
export function describeEvent(event: AgentEvent): string | undefined {
  const line = lineOf(event);
  return line === undefined ? undefined : sanitise(line);
}

function lineOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'session-start':
      return describeStart(event);
    case 'user-message':
      return `> ${oneLine(event.text)}`;
    case 'tool-start':
      return `→ ${event.name} ${oneLine(JSON.stringify(event.input))}`;
    case 'tool-end':
      return event.isError ? `  ${event.name} failed: ${oneLine(event.text, FAILURE_CHARS)}` : undefined;
    case 'request-retry':
      return `[retry] ${oneLine(event.reason, FAILURE_CHARS)}${event.waitMs > 0 ? `, waiting ${event.waitMs} ms` : ''}`;
    case 'fallback':
      return `[fallback] ${event.from} is overloaded: ${event.to} takes over`;
    case 'notice':
      return `[notice] ${oneLine(event.text, FAILURE_CHARS)}`;
    case 'subagent':
      return indented(describeEvent(event.event));
    case 'context':
      return describeContext(event.event);
    default:
      return undefined;
  }
}
