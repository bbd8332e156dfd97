/** A small server on loopback for what the simulator does not imitate: other vendors' dialects, odd streams, catalogues. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Undefined where there was none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export interface Answer {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as it is. `hang`: nothing ever comes. */
  readonly body: object | string | 'hang';
}

export interface WebServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Requests whose client still listens. */
  readonly pending: number;
}

export async function serveWeb(answer: (asked: Asked, index: number) => Answer): Promise<WebServer> {
  const asked: Asked[] = [];
  let pending = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    pending += 1;
    response.on('close', () => {
      pending -= 1;
    });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url: path = '', headers } = request;
      asked.push({ method, path, headers, body: text === '' ? undefined : (JSON.parse(text) as Asked['body']) });
      const { status = 200, headers: extra, body } = answer(asked.at(-1) as Asked, asked.length - 1);
      if (body === 'hang') return;
      const type = typeof body === 'string' ? 'text/event-stream' : 'application/json';
      response.writeHead(status, { 'content-type': type, ...extra });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    get pending() {
      return pending;
    },
  };
}

/** Bare data lines; a text is sent as it is written. */
export function sse(...events: readonly (object | string)[]): string {
  return events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
}

/** A stream of one choice's deltas, with nothing the format does not need. */
export function deltas(finish: string, ...pieces: readonly object[]): string {
  const choices = pieces.map((delta) => ({ choices: [{ delta }] }));
  return sse(...choices, { choices: [{ delta: {}, finish_reason: finish }] }, '[DONE]');
}
