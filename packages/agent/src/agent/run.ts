/** One user message, worked on until the model is done. */
import { AgentError } from '../errors.ts';
import type { RunResult } from '../loop/events.ts';
import { runLoop } from '../loop/run-loop.ts';
import type { UserPiece } from '../providers/provider.ts';
import { afterTurn } from './compaction-hooks.ts';
import { appendLogged, logAccepted } from './logging.ts';
import { DEFAULT_AGENT } from './options.ts';
import type { Parts } from './parts.ts';
import { requestPartsOf } from './request.ts';

/**
 * One operation at a time: what a second one would find is half a turn. `work` gets a signal that is aborted with `outer`, and when the agent is
 * closed meanwhile.
 */
export async function exclusively<T>(
  parts: Parts,
  work: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  // Before anything moves: the log would refuse it only afterwards.
  if (parts.readOnly !== undefined) throw new AgentError('session_read_only', parts.readOnly);
  if (parts.working !== undefined)
    throw new AgentError('run_in_progress', 'this agent is working on another message; wait for it, or interrupt it');
  const controller = new AbortController();
  const forward = (): void => controller.abort(outer?.reason);
  if (outer?.aborted === true) forward();
  outer?.addEventListener('abort', forward, { once: true });
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  parts.working = { interrupt: (reason) => controller.abort(reason), ended };
  try {
    return await work(controller.signal);
  } finally {
    outer?.removeEventListener('abort', forward);
    parts.working = undefined;
    end();
  }
}

/** Interrupts what is under way, and waits until its end is in the log: commands and servers are ended and the log closed behind it. */
export async function endWork({ working }: Pick<Parts, 'working'>): Promise<void> {
  working?.interrupt(new Error('the agent was closed in the middle of its work'));
  await working?.ended;
}

/** A message of the user's: words, or words and images in order. */
export type UserMessage = string | readonly UserPiece[];

function wordsOf(pieces: readonly UserPiece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : `[${piece.mediaType}]`)).join('\n');
}

async function takeMessage(parts: Parts, message: UserMessage): Promise<void> {
  const { hooks, provider, context, emit } = parts;
  const pieces = typeof message === 'string' ? [message] : message;
  const text = wordsOf(pieces);
  emit({ type: 'user-message', text });
  const addition = await hooks.userPromptSubmit(text);
  const whole = pieces.map((piece) => (typeof piece === 'string' ? piece.toWellFormed() : piece));
  await appendLogged(parts, [provider.userMessage(whole)]);
  // What a hook adds stands behind the message and is none of the user's words.
  if (addition !== null && addition.trim() !== '') context.attach(addition.toWellFormed());
}

/** A reminder is a note behind the results, not something the user said. */
function remind({ nag, todos, context }: Parts, calls: readonly { readonly name: string }[]): void {
  const due = nag.afterBatch(
    calls.map(({ name }) => name),
    todos,
  );
  if (due !== undefined) context.attach(due);
}

function work(parts: Parts, signal: AbortSignal): Promise<RunResult> {
  const { options, settings, ports, permissions, workspace, choice } = parts;
  return runLoop({
    ...ports,
    ...requestPartsOf(parts),
    context: parts.context,
    signal,
    emit: parts.emit,
    permissions,
    hooks: parts.hooks,
    toolContext: {
      workspace,
      signal,
      env: options.env ?? {},
      now: ports.now,
      mayRead: (path) => permissions.mayRead(path),
      files: parts.files,
    },
    ...(choice.fallback === undefined ? {} : { fallback: choice.fallback }),
    escalatedOutputTokens: settings.escalatedOutputTokens,
    maxRounds: options.maxRounds ?? DEFAULT_AGENT.maxRounds,
    onBatch: (calls) => remind(parts, calls),
    append: (messages) => appendLogged(parts, messages),
    async accepted(called, receipt) {
      parts.cost.add(receipt);
      await logAccepted(parts, called);
      await afterTurn(parts, receipt);
    },
  });
}

export function run(
  parts: Parts,
  message: UserMessage,
  { signal: outer }: { readonly signal?: AbortSignal } = {},
): Promise<RunResult> {
  const answer = async (signal: AbortSignal): Promise<RunResult> => {
    const { fallbackModel } = parts.options;
    parts.choice.fallback = fallbackModel === undefined ? undefined : { model: fallbackModel };
    // A hook that hangs must not hold the user who wants it to end.
    const endHooks = (): void => parts.shellHooks?.kill();
    signal.addEventListener('abort', endHooks, { once: true });
    try {
      await takeMessage(parts, message);
      const result = await work(parts, signal);
      parts.emit({ type: 'run-end', result });
      return result;
    } finally {
      signal.removeEventListener('abort', endHooks);
      // Whatever a command left behind ends with the turn.
      await parts.processes.disposeProcesses();
    }
  };
  return exclusively(parts, answer, outer);
}
