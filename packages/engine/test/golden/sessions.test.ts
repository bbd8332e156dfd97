/**
 * Ledgers written by earlier builds load and show what they showed. A build that changes what a snapshot holds adds a file; none is ever changed.
 * Each file: the messages, the snapshot, the texts its archive held, the pins, and the messages of the next request.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { storeGroup } from '../../src/core/snapshot.ts';
import { sha256Hex } from '../../src/core/sha256.ts';
import { type WireBuilder, wireBuilders } from '../../src/testing/wire-builder.ts';
import { memoryArchive } from '../properties/support/doubles.ts';
import { messagesOf, TestSession } from './session.ts';

interface Golden {
  readonly messages: readonly object[];
  readonly snapshot: { readonly groups: readonly object[] };
  readonly archive: readonly (readonly [string, string])[];
  readonly pins: readonly object[];
  readonly view: readonly object[];
}

function read(name: string): Golden {
  return JSON.parse(readFileSync(fileURLToPath(new URL(`./${name}.json`, import.meta.url)), 'utf8')) as Golden;
}

async function restored({ messages, snapshot, archive: texts }: Golden, builder: WireBuilder): Promise<TestSession> {
  const archive = memoryArchive();
  for (const [address, text] of texts) await archive.put(address, text);
  const session = new TestSession({ builder, archive });
  await session.context.restore(snapshot, messages);
  return session;
}

async function undoneAll({ context }: TestSession): Promise<number> {
  let times = 0;
  while (await context.undo()) times += 1;
  return times;
}

describe.each(wireBuilders)('a session of an earlier build, $name', (builder) => {
  // The second: with notes, pins, a snip on request, kept turns and state.
  it.each([
    ['session-v1', 11, 2],
    ['session-v1-notes', 1, 4],
  ] as const)('%s loads, shows the same and can be taken back', async (name, entries, epochs) => {
    const golden = read(`${name}-${builder.name}`);
    const session = await restored(golden, builder);
    expect(session.context.groups().map((group) => storeGroup(group, sha256Hex))).toEqual(golden.snapshot.groups);
    expect(session.context.pins()).toEqual(golden.pins);
    const canonical = (messages: readonly object[]): unknown[] => messages.map((one) => builder.codec.canonical(one));
    expect(canonical(messagesOf(await session.prepare(), builder))).toEqual(canonical(golden.view));
    expect(session.context.view().entries).toHaveLength(entries);
    const addresses = session.context.view().entries.flatMap(({ range }) => range?.addresses ?? []);
    expect(addresses).toHaveLength(1);
    for (const address of addresses) expect(await session.context.recall(address)).toMatchObject({ kind: 'content' });
    expect(await undoneAll(session)).toBe(epochs);
  });
});

it('the file with notes has every kind of them', () => {
  const { snapshot, pins, view } = read('session-v1-notes-anthropic');
  const groups = JSON.stringify(snapshot.groups);
  for (const what of ['"kind":"note"', '"pins":[[1,1],[2,2]]', '"notes":[3]', '"cause":"unpin"', 'as asked', '"cause":"undo"'])
    expect(groups, what).toContain(what);
  expect(pins).toEqual([
    { id: 1, text: 'Never touch config/live.yaml.' },
    { id: 2, text: 'Speak plainly.' },
  ]);
  const shown = JSON.stringify(view);
  for (const what of ['Never touch config/live.yaml.', 'Speak plainly.', 'Two of ten steps are done.', 'State given by the host'])
    expect(shown.split(what), what).toHaveLength(2);
});
