/** Reading request bodies with a limit. */

import type { IncomingMessage } from 'node:http';
import { isObject, type JsonObject } from '../json.ts';

export type ReadBody =
  | { readonly kind: 'body'; readonly body: JsonObject; readonly bytes: number }
  | { readonly kind: 'bad' | 'too_large' };

/** Reads to the end even when the limit is passed: closing early would hide the answer behind a broken pipe. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (bytes > maxBytes) return { kind: 'too_large' };
  return parseBody(Buffer.concat(chunks).toString('utf8'), bytes);
}

function parseBody(text: string, bytes: number): ReadBody {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? { kind: 'body', body, bytes } : { kind: 'bad' };
  } catch {
    return { kind: 'bad' };
  }
}
