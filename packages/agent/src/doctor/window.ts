/** The model's window: what was set, what the server says, what is known. */
import type { Endpoint } from '../providers/choose-provider.ts';
import { askWindow } from '../windows/ask-window.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** What the check has to know of a model; the engine's model facts fit. */
export interface WindowFacts {
  readonly windowTokens: number;
  readonly isAssumed: boolean;
  /** Day the facts were read, such as `2026-11-30`. */
  readonly asOf?: string;
}

export interface WindowQuestion {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly facts: WindowFacts;
  /** The user's own setting. */
  readonly setTokens: number | undefined;
  readonly signal: AbortSignal;
}

/** System prompt and tools take about 4,000 tokens, one file a few thousand more. */
const SMALL_TOKENS = 16_000;

const LARGER =
  'load the model with more: OLLAMA_CONTEXT_LENGTH=65536 for Ollama, -c 65536 for llama.cpp, --max-model-len for vLLM';

function tokens(count: number): string {
  return `${count.toLocaleString('en-US')} tokens`;
}

/** Hosted vendors are not asked: what is known of their models is right, and only servers of one's own load less than that. */
async function askedOf({ endpoint, model, signal }: WindowQuestion): Promise<number | undefined> {
  const { vendor, baseUrl, apiKey } = endpoint;
  if (baseUrl === undefined || vendor === 'anthropic') return undefined;
  return askWindow({ baseUrl, model, signal, ...(apiKey === undefined ? {} : { apiKey }) });
}

function originOf({ setTokens, facts }: WindowQuestion, asked: number | undefined): string {
  if (setTokens !== undefined) return 'as set';
  if (asked !== undefined) return 'as the server says';
  return facts.asOf === undefined ? 'known' : `known as of ${facts.asOf}`;
}

export async function checkWindow(question: WindowQuestion): Promise<Finding> {
  const { model, facts, setTokens } = question;
  const asked = await askedOf(question);
  if (asked !== undefined && (setTokens ?? 0) > asked)
    return fail(
      'window',
      `set to ${tokens(setTokens ?? 0)}, but the server gives ${tokens(asked)}`,
      `set the window to ${asked}, or ${LARGER}`,
    );
  const real = setTokens ?? asked;
  if (real === undefined && facts.isAssumed)
    return warn('window', `${tokens(facts.windowTokens)}, assumed: ${model} is not known`, 'set the window yourself');
  const known = real ?? facts.windowTokens;
  if (known < SMALL_TOKENS) return warn('window', `${tokens(known)} are little for a coding agent`, LARGER);
  return ok('window', `${tokens(known)}, ${originOf(question, asked)}`);
}
