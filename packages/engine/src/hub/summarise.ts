/** Asks the model for a summary: one attempt, one corrective retry, the breaker, and the memory that makes a repeated prepare send the same bytes. */
import { afterFailure, CLOSED_BREAKER, isOpen } from '../core/breaker.ts';
import { reasonOf } from '../core/errors.ts';
import type { ContextEvent } from '../core/events.ts';
import type { ErrorReader, ProviderError } from '../core/provider-error.ts';
import type { Step, StepInput, SummaryTask } from '../core/step-parts.ts';
import { planNarrative } from '../core/summary/narrative.ts';
import { rebuildTranscript, renderTranscript } from '../core/summary/transcript.ts';
import { refusalOf, summaryRequest, type Writer } from '../core/summary/writer.ts';
import { scaled } from '../core/window.ts';
import type { Summarised } from './answers.ts';
import type { Session } from './session.ts';
import { untilAborted } from './until-aborted.ts';

/** The first answer and one retry: corrected, or with less to read. */
const MAX_ATTEMPTS = 2;

/** Share of the window the transcript may take in the summary request, whatever the policy's constant says. */
const INPUT_SHARE = 0.6;

export interface SummariseOptions {
  readonly session: Session;
  readonly writer: Writer | undefined;
  readonly errors: ErrorReader;
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

const BY_CODE: Summarised = { text: undefined, writer: 'code', attempts: 0, inputTokens: 0, outputTokens: 0 };

/** Characters of transcript a model is given to summarise, at most. */
export function transcriptChars(input: StepInput): number {
  const byRule = scaled(input.policy.summary.maxInputChars, input.window.windowTokens);
  const ratio = Math.max(1, input.calibrate(1_000) / 1_000);
  // Three characters a token is a low estimate for text and code, and the calibration covers what it misses.
  const byWindow = Math.floor((input.window.windowTokens * INPUT_SHARE * 3) / ratio);
  return Math.min(byRule, byWindow);
}

/** What one attempt came to. */
type Answer =
  | { readonly kind: 'text'; readonly text: string; readonly inputTokens: number; readonly outputTokens: number }
  | { readonly kind: 'refused'; readonly why: string; readonly inputTokens: number; readonly outputTokens: number }
  | { readonly kind: 'failed'; readonly why: string; readonly error: ProviderError; readonly transcriptChars: number };

interface Attempt {
  readonly maxChars: number;
  readonly correction: string | undefined;
}

/** The messages to summarise: from the view, with the narrative so far beside them, or from the history itself once that was merged often enough. */
function transcriptFor(
  { input, step, task }: Pick<SummariseOptions, 'input' | 'step' | 'task'>,
  maxChars: number,
): { readonly transcript: string; readonly previous?: string } {
  const { history, lens } = input;
  const { span } = task;
  const { previous, isRebuilt } = planNarrative(step.view, span);
  const previousChars = previous === undefined ? 0 : JSON.stringify(previous).length;
  // One that leaves no room for what is new is no summary any more.
  if (isRebuilt || previousChars > maxChars / 2)
    return { transcript: rebuildTranscript({ history, lens, span, maxChars }) };
  const transcript = renderTranscript({ history, view: step.view, span, maxChars: maxChars - previousChars });
  return previous === undefined ? { transcript } : { previous, transcript };
}

async function write(options: SummariseOptions, writer: Writer, { maxChars, correction }: Attempt): Promise<Answer> {
  const { input, step, task, signal, errors } = options;
  const { transcript, previous } = transcriptFor({ input, step, task }, maxChars);
  const request = summaryRequest({
    transcript,
    previous,
    maxOutputTokens: scaled(input.policy.summary.maxOutputTokens, input.window.windowTokens),
    focus: task.focus,
    correction,
  });
  try {
    const reply = await untilAborted(() => writer.write(request, signal), signal);
    const spent = { inputTokens: reply.inputTokens ?? 0, outputTokens: reply.outputTokens ?? 0 };
    const why = refusalOf(reply);
    return why === undefined ? { kind: 'text', text: reply.text.trim(), ...spent } : { kind: 'refused', why, ...spent };
  } catch (error) {
    signal?.throwIfAborted();
    return {
      kind: 'failed',
      why: reasonOf(error),
      error: errors.classify(error),
      transcriptChars: transcript.length,
    };
  }
}

async function attempt(options: SummariseOptions, writer: Writer, how: Attempt): Promise<Answer> {
  const event = { trigger: options.task.trigger, writer: writer.name };
  options.emit({ type: 'summary-start', ...event });
  const answer = await write(options, writer, how);
  options.emit({ type: 'summary-end', ...event, ...(answer.kind === 'text' ? {} : { refusal: answer.why }) });
  return answer;
}

/** What to try next: a refused answer once more with the reason, a request that was too long with half of it; nothing otherwise. */
function nextAttempt(answer: Answer, how: Attempt): Attempt | undefined {
  if (answer.kind === 'refused') return { ...how, correction: answer.why };
  if (answer.kind === 'failed' && answer.error.kind === 'overflow')
    return { ...how, maxChars: Math.floor(answer.transcriptChars / 2) };
  return undefined;
}

/** A provider that has no room now says nothing about the model's summaries. */
function countsAsFailure(answer: Answer): boolean {
  return answer.kind !== 'failed' || (answer.error.kind !== 'rate' && answer.error.kind !== 'overloaded');
}

/** The model's text by at most two attempts; the breaker counts what became of it. */
async function ask(options: SummariseOptions, writer: Writer): Promise<Summarised> {
  const { session, target, input } = options;
  let result: Summarised = { ...BY_CODE, writer: writer.name };
  let how: Attempt | undefined = { maxChars: transcriptChars(input), correction: undefined };
  let isFailure = false;
  for (let attempts = 1; attempts <= MAX_ATTEMPTS && how !== undefined; attempts += 1) {
    const answer = await attempt(options, writer, how);
    const spent = answer.kind === 'failed' ? { inputTokens: 0, outputTokens: 0 } : answer;
    result = {
      ...result,
      attempts,
      inputTokens: result.inputTokens + spent.inputTokens,
      outputTokens: result.outputTokens + spent.outputTokens,
    };
    if (answer.kind === 'text') {
      session.breaker = CLOSED_BREAKER;
      return { ...result, text: answer.text };
    }
    isFailure = countsAsFailure(answer);
    how = nextAttempt(answer, how);
  }
  if (isFailure) session.breaker = afterFailure(session.breaker, target);
  return result;
}

/** A user's abort is not a failure: it rejects and leaves the breaker alone. */
export async function summarise(options: SummariseOptions): Promise<Summarised> {
  const { session, writer, task, input, target } = options;
  if (task.trigger === 'manual') session.breaker = CLOSED_BREAKER;
  const isEmpty = task.span.to <= task.span.from;
  if (writer === undefined || !task.mayUseModel || isEmpty) return BY_CODE;
  const key = `${task.trigger} ${input.history.address(task.span.from, task.span.to)} ${task.focus ?? ''}`;
  const known = session.answers.texts.get(key);
  if (known !== undefined) return known;
  if (isOpen(session.breaker, target)) return BY_CODE;
  const result = await ask(options, writer);
  session.answers.texts.set(key, result);
  return result;
}
