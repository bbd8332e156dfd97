/** Writing answers: JSON, problems and event streams. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '../problem.ts';
import type { Profile, WireEvent } from '../profile.ts';
import type { Delivery } from './exchange.ts';

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
  delivery.begin();
  if (delivery.isStream) return sendEvents(reply, delivery);
  if (delivery.ending?.kind === 'cut') reply.response.destroy();
  else sendJson(reply, delivery.whole());
}

async function sendEvents(reply: Reply, delivery: Delivery): Promise<void> {
  const { response, profile, requestId } = reply;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    [profile.requestIdHeader]: requestId,
  });
  let deltas = 0;
  for (const event of delivery.events) {
    if (response.destroyed) return;
    if (delivery.ending !== undefined && deltas >= delivery.ending.afterDeltas && event.isDelta) {
      return endEarly(reply, delivery.ending.kind);
    }
    if (event.isDelta && delivery.deltaDelayMs > 0) await sleep(delivery.deltaDelayMs);
    if (event.isDelta) deltas += 1;
    if (!response.write(encodeEvent(event))) await drained(response);
  }
  // A stream with fewer deltas than asked for still ends early.
  if (delivery.ending !== undefined) return endEarly(reply, delivery.ending.kind);
  response.end();
}

/** A client that went away never drains. */
async function drained(response: ServerResponse): Promise<void> {
  await Promise.race([once(response, 'drain'), once(response, 'close')]);
}

async function endEarly({ response, profile, requestId }: Reply, kind: 'cut' | 'error'): Promise<void> {
  if (kind === 'cut') {
    // Destroying at once would drop what is still buffered, and the client would see no beginning of a stream.
    await sleep(10);
    response.destroy();
    return;
  }
  const data = { ...profile.errorBody(profile.problems.overloaded, requestId) };
  const { errorEventName: name } = profile;
  response.end(encodeEvent(name === undefined ? { data, isDelta: false } : { name, data, isDelta: false }));
}

export function encodeEvent({ name, data }: WireEvent): string {
  const line = typeof data === 'string' ? data : JSON.stringify(data);
  return name === undefined ? `data: ${line}\n\n` : `event: ${name}\ndata: ${line}\n\n`;
}
