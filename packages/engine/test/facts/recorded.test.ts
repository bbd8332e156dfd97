/** What a digest keeps of a recorded coding session, against a plain reading of the session's file. */
import { describe, expect, it } from 'vitest';
import { factsOf } from '../../src/core/facts/facts-of.ts';
import { defaultLens } from '../../src/core/lenses/default.ts';
import { writeDigest } from '../../src/core/summary/code-writer.ts';
import { type Message, missing, recordedHistory, recordedMessages } from './recorded.ts';

type Kind = 'read' | 'write' | 'edit';

interface Trail {
  readonly sets: Readonly<Record<Kind, ReadonlySet<string>>>;
  readonly last: ReadonlyMap<string, Kind>;
}

/** Files and their last operation, read off the log alone: calls whose result is no error. */
function trailOf(messages: readonly Message[]): Trail {
  const failed = new Set(messages.filter(({ isError }) => isError === true).map(({ toolCallId }) => toolCallId));
  const answered = new Set(messages.map(({ toolCallId }) => toolCallId));
  const sets = { read: new Set<string>(), write: new Set<string>(), edit: new Set<string>() };
  const last = new Map<string, Kind>();
  for (const { content = [] } of messages) {
    for (const block of typeof content === 'string' ? [] : content) {
      const kind = block['name'] as Kind;
      if (block['type'] !== 'toolCall' || !(kind in sets)) continue;
      if (!answered.has(String(block['id'])) || failed.has(String(block['id']))) continue;
      const { path } = block['arguments'] as { path: string };
      sets[kind].add(path);
      last.set(path, kind);
    }
  }
  return { sets, last };
}

const VERB = { read: 'read', written: 'write', edited: 'edit' } as const;

/** The same, read off a digest. */
function toldBy(digest: string): Trail {
  const sets = { read: new Set<string>(), write: new Set<string>(), edit: new Set<string>() };
  const last = new Map<string, Kind>();
  const section = /Files, with the last operation:\n((?:- .*\n?)+)/.exec(digest)?.[1] ?? '';
  for (const [, path = '', now, earlier = ''] of section.matchAll(/^- "(.+?)" (\w+)(?:, earlier ((?:\w+, )*\w+))?/gm)) {
    const kinds = [now, ...earlier.split(', ')].flatMap((word) => VERB[word as keyof typeof VERB] ?? []);
    for (const kind of kinds) sets[kind].add(path);
    if (kinds[0] !== undefined) last.set(path, kinds[0]);
  }
  return { sets, last };
}

/** Harmonic mean of precision and recall; 1 for two empty sets. */
function f1(told: ReadonlySet<string>, real: ReadonlySet<string>): number {
  const both = [...told].filter((path) => real.has(path)).length;
  return told.size + real.size === 0 ? 1 : (2 * both) / (told.size + real.size);
}

describe.skipIf(missing !== undefined)(
  `a recorded session${missing === undefined ? '' : `, skipped: ${missing}`}`,
  () => {
    const messages = missing === undefined ? recordedMessages() : [];

    it.each([0.25, 0.5, 0.75, 1])('at %d of its length the files of a digest are the files of the log', (share) => {
      const part = messages.slice(0, Math.floor(messages.length * share));
      const history = recordedHistory(part);
      const digest = writeDigest({
        history,
        span: { from: 0, to: history.length },
        lens: defaultLens,
        maxChars: 16_000,
      });
      const real = trailOf(part);
      const told = toldBy(digest);
      expect(real.last.size).toBeGreaterThan(3);
      for (const kind of ['read', 'write', 'edit'] as const)
        expect([kind, f1(told.sets[kind], real.sets[kind])]).toEqual([kind, 1]);
      expect(Object.fromEntries(told.last)).toEqual(Object.fromEntries(real.last));
      expect(digest.length).toBeLessThanOrEqual(16_000);
    });

    it('has a fact for every call', () => {
      const facts = factsOf(recordedHistory(messages), defaultLens);
      const counts = { read: 0, wrote: 0, edited: 0, ran: 0, searched: 0, fetched: 0, called: 0 };
      for (const { fact } of facts.calls) counts[fact.kind] += 1;
      expect(counts).toEqual({ read: 107, wrote: 16, edited: 125, ran: 206, searched: 0, fetched: 0, called: 0 });
      expect(facts.calls.filter(({ outcome }) => outcome?.isError === true).length).toBe(12);
    });
  },
);
