/** One small question to a model server, over HTTP. */

export interface Server {
  /** As the user gave it: where the chat format is served, usually ending in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly signal: AbortSignal;
}

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

/**
 * The parsed answer; undefined for every failure: no server, another status than 200, no JSON, too slow. Follows no redirect, so that the key
 * never leaves the origin it is for.
 */
export async function askJson(server: Server, { path, body, timeoutMs = TIMEOUT_MS }: Question): Promise<unknown> {
  const { apiKey, signal } = server;
  if (signal.aborted) return undefined;
  try {
    const response = await fetch(urlOf(server, path), {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status === 200) return (await response.json()) as unknown;
    await response.body?.cancel();
    return undefined;
  } catch {
    // Nothing listens there, it is too slow, or it speaks of something else.
    return undefined;
  }
}
