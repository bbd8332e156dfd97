/** Events as single lines, the same in a terminal and in a pipe. */
import type { AgentEvent } from '@holdover/agent';
import { type ContextEvent, redactSecrets } from '@holdover/engine';
import { sanitise } from '../interactive/text/sanitise.ts';

const PREVIEW_CHARS = 70;
/** What went wrong, and what would mend it, has to be read whole. */
const FAILURE_CHARS = 400;

/** These lines end in logs: secrets are taken out before a text is cut, which would leave half of one. */
function oneLine(text: string, chars = PREVIEW_CHARS): string {
  const flat = sanitise(redactSecrets(text).text).replace(/\s+/g, ' ').trim();
  return flat.length > chars ? `${flat.slice(0, chars - 1)}…` : flat;
}

const number = new Intl.NumberFormat('en-US');

/** What the teaching system prints when a summary is due. */
const TRIGGER_LABEL = {
  threshold: '[auto compact]',
  cold: '[auto compact]',
  manual: '[compact]',
  overflow: '[reactive compact]',
} as const;

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
    case 'epoch-redo':
      return '[redo] what was taken back is in force again';
    default:
      return undefined;
  }
}

function describeStart(event: Extract<AgentEvent, { type: 'session-start' }>): string {
  const { sessionId, isResumed, forkedFrom, isForkChosen } = event;
  if (isForkChosen === true) return `session ${sessionId}, a copy of ${forkedFrom}`;
  if (forkedFrom === undefined) return `session ${sessionId}${isResumed ? ', continued' : ''}`;
  return `[fork] session ${forkedFrom} is open in another process; this goes on in a copy, ${sessionId}`;
}

function describeRetry({ reason, waitMs }: Extract<AgentEvent, { type: 'request-retry' }>): string {
  return `[retry] ${oneLine(reason, FAILURE_CHARS)}${waitMs > 0 ? `, waiting ${waitMs} ms` : ''}`;
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
      return describeRetry(event);
    case 'fallback':
      return `[fallback] ${event.from} is overloaded: ${event.to} takes over`;
    case 'notice':
      return `[notice] ${oneLine(event.text, FAILURE_CHARS)}`;
    case 'subagent':
      return indented(lineOf(event.event));
    case 'context':
      return describeContext(event.event);
    default:
      return undefined;
  }
}
