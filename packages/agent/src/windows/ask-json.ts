/** One small question to a model server, over HTTP. */

export interface Server {
  /** As the user gave it: where the chat format is served, usually ending in `/v1`. */
  readonly baseUrl: string;
  /** Sent as a bearer token. */
  readonly apiKey?: string;
  /** More headers, for servers that want the key elsewhere. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** `body` is undefined where it is no JSON. */
export type Answer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'none'; readonly reason: string };

export type Fields = Readonly<Record<string, unknown>>;

export interface Question {
  /** Absolute path on the server's origin, or a path after its base URL where it begins with `./`. */
  readonly path: string;
  /** Sent as JSON by POST; absent: GET. */
  readonly body?: object;
  /** Milliseconds. @default 3_000 */
  readonly timeoutMs?: number;
}

/** A server on the same machine answers such questions in milliseconds. */
const TIMEOUT_MS = 3_000;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listAt(value: unknown, name: string): readonly Fields[] {
  const list = isFields(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter(isFields) : [];
}

function urlOf({ baseUrl }: Server, path: string): URL {
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  return new URL(path, base);
}

/** One question, whatever becomes of it. Follows no redirect, so that the key never leaves the origin it is for. Never throws. */
export async function ask(server: Server, { path, body, timeoutMs = TIMEOUT_MS }: Question): Promise<Answer> {
  const { apiKey, signal, headers = {} } = server;
  if (signal.aborted) return { kind: 'none', reason: 'interrupted' };
  try {
    const response = await fetch(urlOf(server, path), {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { kind: 'answer', status: response.status, body: await response.json().catch(() => undefined) };
  } catch (error) {
    return { kind: 'none', reason: reasonOf(error, timeoutMs) };
  }
}

/** Why there was no answer, for people: `fetch` itself only says that it failed. */
function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, message, cause } = error as {
    name?: string;
    message?: string;
    cause?: { code?: string; message?: string };
  };
  if (name === 'TimeoutError') return `no answer within ${timeoutMs / 1_000} s`;
  return cause?.code ?? cause?.message ?? message ?? String(error);
}

/** The parsed answer; undefined for every failure: no server, another status than 200, no JSON, too slow. */
export async function askJson(server: Server, question: Question): Promise<unknown> {
  const answer = await ask(server, question);
  return answer.kind === 'answer' && answer.status === 200 ? answer.body : undefined;
}
