/** A context over a history it has never seen: what a resume of a long session costs in time. */
import { contextOf, REQUEST } from '../host.ts';
import type { Case, Row } from '../row.ts';
import { type Message, sessionJson } from '../session.ts';
import { median, timed } from '../stats.ts';
import { SECTIONS } from '../sections.ts';

const RUNS = 5;

export const run: Case['run'] = async ({ size, subject, calls = RUNS, begin }): Promise<readonly Row[]> => {
  const json = sessionJson(size);
  const megabytes = Buffer.byteLength(json) / 1e6;
  begin();
  const appendMs: number[] = [];
  const prepareMs: number[] = [];
  const parsedMs: number[] = [];
  for (let i = 0; i < calls; i += 1) {
    let messages: Message[] = [];
    globalThis.gc?.();
    // In turns with what it is compared with, so that both meet the same machine.
    parsedMs.push(await timed(() => (messages = JSON.parse(json) as Message[])));
    const context = contextOf();
    globalThis.gc?.();
    appendMs.push(await timed(() => context.append(messages)));
    prepareMs.push(await timed(() => context.prepare(REQUEST)));
  }
  const parseMs = median(parsedMs);
  const buildMs = median(appendMs);
  const values = {
    MB: megabytes,
    'parse ms': parseMs,
    'build ms': buildMs,
    'x parse': buildMs / parseMs,
    'MB/s': (megabytes / buildMs) * 1_000,
    'first prepare ms': median(prepareMs),
    'both x parse': (buildMs + median(prepareMs)) / parseMs,
  };
  return [{ section: SECTIONS.cold, who: subject, size, values }];
};
