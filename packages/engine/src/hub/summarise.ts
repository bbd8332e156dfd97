/** Asks the model for a summary: one attempt, one corrective retry, the breaker, and the memory that makes a repeated prepare send the same bytes. */
import { afterFailure, CLOSED_BREAKER, isOpen } from '../core/breaker.ts';
import type { ContextEvent } from '../core/events.ts';
import type { Step, StepInput, SummaryTask } from '../core/step.ts';
import { renderTranscript } from '../core/summary/transcript.ts';
import { refusalOf, summaryRequest, type Writer, type WriterReply } from '../core/summary/writer.ts';
import { scaled } from '../core/window.ts';
import type { Session } from './session.ts';

/** The first answer and one corrective retry. */
const MAX_ATTEMPTS = 2;

/** Share of the window the transcript may take in the summary request, whatever the policy's constant says. */
const INPUT_SHARE = 0.6;

export interface SummariseOptions {
  readonly session: Session;
  readonly writer: Writer | undefined;
  readonly input: StepInput;
  readonly step: Step;
  readonly task: SummaryTask;
  /** Model and window, which the breaker's failures belong to. */
  readonly target: string;
  readonly signal: AbortSignal | undefined;
  readonly emit: (event: SummaryEvent) => void;
}

export type SummaryEvent =
  | Pick<Extract<ContextEvent, { type: 'summary-start' }>, 'type' | 'trigger' | 'writer'>
  | Pick<Extract<ContextEvent, { type: 'summary-end' }>, 'type' | 'trigger' | 'writer' | 'refusal'>;

export interface Summarised {
  /** Undefined: the code writer takes over. */
  readonly text: string | undefined;
  readonly writer: string;
  readonly attempts: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const BY_CODE: Summarised = { text: undefined, writer: 'code', attempts: 0, inputTokens: 0, outputTokens: 0 };

function transcriptChars(input: StepInput): number {
  const byRule = scaled(input.policy.summary.maxInputChars, input.window.windowTokens);
  const ratio = Math.max(1, input.calibrate(1_000) / 1_000);
  // Three characters a token is a low estimate for text and code, and the calibration covers what it misses.
  const byWindow = Math.floor((input.window.windowTokens * INPUT_SHARE * 3) / ratio);
  return Math.min(byRule, byWindow);
}

async function attempt(
  options: SummariseOptions,
  writer: Writer,
  correction: string | undefined,
): Promise<WriterReply | string> {
  const { input, step, task, signal } = options;
  const request = summaryRequest({
    transcript: renderTranscript({
      history: input.history,
      view: step.view,
      span: task.span,
      maxChars: transcriptChars(input),
    }),
    maxOutputTokens: scaled(input.policy.summary.maxOutputTokens, input.window.windowTokens),
    focus: task.focus,
    correction,
  });
  try {
    return await writer.write(request, signal);
  } catch (error) {
    signal?.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  }
}

/** One answer, judged: its text, or why it is refused. */
async function judged(options: SummariseOptions, writer: Writer, correction: string | undefined): Promise<Answer> {
  const { task, emit } = options;
  const event = { trigger: task.trigger, writer: writer.name };
  emit({ type: 'summary-start', ...event });
  const reply = await attempt(options, writer, correction);
  const refusal = typeof reply === 'string' ? reply : refusalOf(reply);
  emit({ type: 'summary-end', ...event, ...(refusal === undefined ? {} : { refusal }) });
  if (typeof reply === 'string') return { refusal, text: '', inputTokens: 0, outputTokens: 0 };
  return {
    refusal,
    text: reply.text.trim(),
    inputTokens: reply.inputTokens ?? 0,
    outputTokens: reply.outputTokens ?? 0,
  };
}

interface Answer {
  readonly refusal: string | undefined;
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The model's answer with one corrective retry; the breaker counts what became of it. */
async function ask(options: SummariseOptions, writer: Writer, key: string): Promise<Summarised> {
  const { session, target } = options;
  let result: Summarised = { ...BY_CODE, writer: writer.name };
  let correction: string | undefined;
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts += 1) {
    const answer = await judged(options, writer, correction);
    const inputTokens = result.inputTokens + answer.inputTokens;
    const outputTokens = result.outputTokens + answer.outputTokens;
    result = { ...result, attempts, inputTokens, outputTokens };
    correction = answer.refusal;
    if (correction !== undefined) continue;
    session.breaker = CLOSED_BREAKER;
    session.answers.set(key, answer.text);
    return { ...result, text: answer.text };
  }
  session.breaker = afterFailure(session.breaker, target);
  return result;
}

/** A user's abort is not a failure: it rejects and leaves the breaker alone. */
export async function summarise(options: SummariseOptions): Promise<Summarised> {
  const { session, writer, task, input, target } = options;
  if (task.trigger === 'manual') session.breaker = CLOSED_BREAKER;
  const isEmpty = task.span.to <= task.span.from;
  if (writer === undefined || !task.mayUseModel || isEmpty || isOpen(session.breaker, target)) return BY_CODE;
  const key = `${task.trigger} ${input.history.address(task.span.from, task.span.to)} ${task.focus ?? ''}`;
  const known = session.answers.get(key);
  return known === undefined ? ask(options, writer, key) : { ...BY_CODE, text: known, writer: writer.name };
}
