/**
 * A brain that follows plain instructions, so that the whole pipeline runs without a key. It has no memory: everything
 * it knows stands in the request, as for a real model, and what was compacted away it gets back with the recall tool.
 */

import type { Brain, SimReply, SimRequest } from '../brain.ts';
import { act } from './rules/act.ts';
import { findInstruction } from './rules/instruction.ts';
import { introduce } from './rules/prose.ts';
import { asksForSummary } from './rules/summary-request.ts';
import { summarise } from './rules/summary.ts';
import type { RulesOptions, Settings } from './rules/types.ts';
import { readView } from './rules/view.ts';

export type { RulesOptions, Verbosity } from './rules/types.ts';

const DEFAULTS: Settings = { name: 'rules', readCap: 40, verbosity: 'normal' };

/**
 * @example
 * const brain = createRulesBrain({ verbosity: 'short' });
 */
export function createRulesBrain(options: RulesOptions = {}): Brain {
  const settings: Settings = { ...DEFAULTS, ...options };
  return { name: settings.name, reply: (request) => answer(request, settings) };
}

function answer(request: SimRequest, settings: Settings): SimReply {
  if (asksForSummary(request)) return text(summarise(request));
  const view = readView(request);
  const found = findInstruction(view);
  return found.kind === 'task' ? act(view, found.task, settings) : text(introduce(found.text));
}

function text(words: string): SimReply {
  return { parts: [{ kind: 'text', text: words }] };
}
