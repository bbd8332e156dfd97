/** Cache breakpoints: at most four, on blocks that can carry one, long ones first. */

import { isObject, type JsonObject } from '../../json.ts';
import { firstProblem, type Problem } from '../../problem.ts';
import { blocksOf, messagesOf } from '../conversation.ts';
import { invalidRequest } from '../problems.ts';
import type { Rule } from './context.ts';

const MAX_BREAKPOINTS = 4;
const TTLS: readonly unknown[] = [undefined, null, '5m', '1h'];

interface Breakpoint {
  readonly path: string;
  readonly control: unknown;
  readonly block: JsonObject;
}

export const breakpointCount: Rule = ({ body }) => {
  const found = breakpointsOf(body).length + (isSet(body['cache_control']) ? 1 : 0);
  return found <= MAX_BREAKPOINTS
    ? undefined
    : invalidRequest(`A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${found}.`);
};

export const breakpointShapes: Rule = ({ body }) => {
  const top = { path: 'cache_control', control: body['cache_control'], block: {} };
  const all = [...breakpointsOf(body), ...(isSet(top.control) ? [top] : [])];
  return firstProblem(all, checkBreakpoint);
};

function checkBreakpoint({ path, control, block }: Breakpoint): Problem | undefined {
  if (!isObject(control) || control['type'] !== 'ephemeral') {
    return invalidRequest(`${path}.cache_control.type: Input should be 'ephemeral'`);
  }
  if (!TTLS.includes(control['ttl'])) return invalidRequest(`${path}.cache_control.ttl: Input should be '5m' or '1h'`);
  return block['type'] === 'text' && block['text'] === ''
    ? invalidRequest(`${path}: cache_control cannot be set for empty text blocks`)
    : undefined;
}

export const longTtlFirst: Rule = ({ body }) => {
  let sawShort = false;
  return firstProblem(breakpointsOf(body), ({ path, control }) => {
    const isLong = isObject(control) && control['ttl'] === '1h';
    if (isLong && sawShort) {
      return invalidRequest(
        `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. ` +
          'Note that blocks are processed in the following order: `tools`, `system`, `messages`.',
      );
    }
    sawShort ||= !isLong;
    return undefined;
  });
};

/** In prompt order: tools, system, messages with the blocks nested in results. */
function breakpointsOf(body: JsonObject): readonly Breakpoint[] {
  const tools = Array.isArray(body['tools']) ? body['tools'].filter(isObject) : [];
  const messages = messagesOf(body).flatMap((message, index) =>
    place(blocksOf(message['content']), `messages.${index}.content`),
  );
  return [...place(tools, 'tools'), ...place(blocksOf(body['system']), 'system'), ...messages];
}

function place(blocks: readonly JsonObject[], path: string): readonly Breakpoint[] {
  return blocks.flatMap((block, index) => {
    const own = { path: `${path}.${index}`, control: block['cache_control'], block };
    const nested = block['type'] === 'tool_result' ? place(blocksOf(block['content']), `${own.path}.content`) : [];
    return isSet(own.control) ? [...nested, own] : nested;
  });
}

function isSet(control: unknown): boolean {
  return control !== undefined && control !== null;
}
