/** Writing answers: JSON, problems and event streams. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '../problem.ts';
import type { Profile, WireEvent } from '../profile.ts';
import type { Delivery, Ending } from './exchange.ts';

/** One answer in the making: whom it goes to, in which profile, under which id. */
export interface Reply {
  readonly response: ServerResponse;
  readonly profile: Profile;
  readonly requestId: string;
}

export function sendJson({ response, profile, requestId }: Reply, body: object, problem?: Problem): void {
  response.writeHead(problem?.status ?? 200, {
    'content-type': 'application/json',
    [profile.requestIdHeader]: requestId,
    ...problem?.headers,
  });
  response.end(JSON.stringify(body));
}

export function sendProblem(reply: Reply, problem: Problem): void {
  sendJson(reply, reply.profile.errorBody(problem, reply.requestId), problem);
}

/** Resolves when everything is written or the client is gone. */
export async function sendDelivery(reply: Reply, delivery: Delivery): Promise<void> {
  if (delivery.delayMs > 0) await sleep(delivery.delayMs);
  if (delivery.ending?.kind === 'hang-up') {
    reply.response.destroy();
    return;
  }
  delivery.begin();
  if (delivery.isStream) return sendEvents(reply, delivery, delivery.ending);
  if (delivery.ending === undefined) sendJson(reply, delivery.whole());
  else reply.response.destroy();
}

async function sendEvents(
  reply: Reply,
  delivery: Delivery,
  ending: Exclude<Ending, { kind: 'hang-up' }> | undefined,
): Promise<void> {
  const { response, profile, requestId } = reply;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    [profile.requestIdHeader]: requestId,
  });
  let deltas = 0;
  for (const event of delivery.events) {
    if (response.destroyed) return;
    if (ending !== undefined && deltas >= ending.afterDeltas && event.isDelta)
      return endEarly(reply, ending, event.name);
    if (event.isDelta && delivery.deltaDelayMs > 0) await sleep(delivery.deltaDelayMs);
    if (event.isDelta) deltas += 1;
    if (!response.write(encodeEvent(event))) await drained(response);
  }
  // A stream with fewer deltas than asked for still ends early.
  if (ending !== undefined) return endEarly(reply, ending);
  response.end();
}

/** A client that went away never drains. */
async function drained(response: ServerResponse): Promise<void> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    // The one that did not come would leave its listeners on a long stream.
    settled.abort();
  }
}

async function endEarly({ response, profile, requestId }: Reply, ending: Ending, eventName?: string): Promise<void> {
  if (ending.kind === 'malformed') {
    response.end(`${eventName === undefined ? '' : `event: ${eventName}\n`}data: {"type": "cont\n\n`);
    return;
  }
  if (ending.kind !== 'error') {
    // Destroying at once would drop what is still buffered, and the client would see no beginning of a stream.
    await sleep(10);
    response.destroy();
    return;
  }
  const data = { ...profile.errorBody(ending.problem, requestId) };
  const { errorEventName: name } = profile;
  response.end(encodeEvent(name === undefined ? { data, isDelta: false } : { name, data, isDelta: false }));
}

export function encodeEvent({ name, data }: WireEvent): string {
  const line = typeof data === 'string' ? data : JSON.stringify(data);
  return name === undefined ? `data: ${line}\n\n` : `event: ${name}\ndata: ${line}\n\n`;
}
