/** Why a run ended before the model was done, and errors in the user's words. */
import type { RunResult } from '@holdover/agent';

export const STOPPED: Readonly<Record<RunResult['stop'], string | undefined>> = {
  done: undefined,
  rounds: 'stopped: the limit of model calls was reached (--max-rounds); say "go on" to go on',
  cap: 'stopped: the reply was cut at the output limit again and again (--max-output)',
  refusal: 'stopped: the model refused',
};

export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'APIUserAbortError');
}

/** An API's error as the SDKs print it: a status and the JSON of the answer. */
const API_ERROR = /^(\d{3}) (\{.*\})$/s;

function apiMessage(status: string, json: string): string | undefined {
  try {
    const { error } = JSON.parse(json) as { readonly error?: { readonly message?: unknown } };
    return typeof error?.message === 'string' ? `${error.message} (status ${status})` : undefined;
  } catch {
    return undefined;
  }
}

/** What the SDKs say of a server that does not answer at all. */
const UNREACHABLE = /^(?:connection error\.?|fetch failed|.*\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\b.*)$/i;
/** Statuses that say something about the key. */
const ABOUT_KEYS = /\(status 40[13]\)$/;
const DOCTOR = '`holdover doctor` says what to do';

/** What a provider's error says, without its JSON. */
export function inWords(message: string): string {
  if (UNREACHABLE.test(message)) return 'the server cannot be reached';
  const [, status = '', json = ''] = API_ERROR.exec(message) ?? [];
  return apiMessage(status, json) ?? message;
}

/** The same, with the next step where it is known. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const words = inWords(error.message);
  return UNREACHABLE.test(error.message) || ABOUT_KEYS.test(words) ? `${words}; ${DOCTOR}` : words;
}
