/** One user message, worked on until the model is done. */
import { AgentError } from '../errors.ts';
import type { RunResult } from '../loop/events.ts';
import { runLoop } from '../loop/run-loop.ts';
import { appendLogged, logAccepted } from './logging.ts';
import { DEFAULT_AGENT } from './options.ts';
import type { Parts } from './parts.ts';

/** One operation at a time: what a second one would find is half a turn. */
export async function exclusively<T>(parts: Parts, work: () => Promise<T>): Promise<T> {
  if (parts.isBusy)
    throw new AgentError('run_in_progress', 'this agent is working on another message; wait for it, or interrupt it');
  parts.isBusy = true;
  try {
    return await work();
  } finally {
    parts.isBusy = false;
  }
}

async function takeMessage(parts: Parts, text: string): Promise<void> {
  const { hooks, options, emit } = parts;
  emit({ type: 'user-message', text });
  const addition = await hooks.userPromptSubmit(text);
  const pieces = (addition === null ? [text] : [text, addition]).map((piece) => piece.toWellFormed());
  await appendLogged(parts, [options.provider.codec.compose(pieces)]);
}

async function work(parts: Parts, signal: AbortSignal): Promise<RunResult> {
  const { options, settings, ports, permissions, workspace } = parts;
  return runLoop({
    ...ports,
    context: parts.context,
    provider: options.provider,
    signal,
    emit: parts.emit,
    tools: parts.tools,
    permissions,
    hooks: parts.hooks,
    toolContext: {
      workspace,
      signal,
      env: options.env ?? {},
      now: ports.now,
      mayRead: (path) => permissions.mayRead(path),
    },
    model: parts.model,
    system: parts.system,
    maxOutputTokens: settings.maxOutputTokens,
    escalatedOutputTokens: settings.escalatedOutputTokens,
    maxRounds: options.maxRounds ?? DEFAULT_AGENT.maxRounds,
    append: (messages) => appendLogged(parts, messages),
    accepted: (called) => logAccepted(parts, called),
  });
}

export function run(
  parts: Parts,
  text: string,
  { signal = new AbortController().signal }: { readonly signal?: AbortSignal } = {},
): Promise<RunResult> {
  return exclusively(parts, async () => {
    try {
      await takeMessage(parts, text);
      const result = await work(parts, signal);
      parts.emit({ type: 'run-end', result });
      return result;
    } finally {
      // Whatever a command left behind ends with the turn.
      await parts.processes.disposeProcesses();
    }
  });
}
