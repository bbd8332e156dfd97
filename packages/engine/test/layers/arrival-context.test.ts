/** The layer in a context: what goes over the wire, in both formats. */
import { describe, expect, it } from 'vitest';
import { isEpoch } from '../../src/core/edit.ts';
import { arrival } from '../../src/core/layers/arrival.ts';
import { micro } from '../../src/core/layers/micro.ts';
import { classic } from '../../src/core/policies/classic.ts';
import type { Policy } from '../../src/core/policy.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { messagesOf, TestSession, textsOf } from '../golden/session.ts';
import { serverLog } from '../previews/made.ts';

const POLICY: Policy = { ...classic, name: 'shaping', layers: [arrival()] };
const LIST = Array.from({ length: 120 }, (_, i) => `entry ${i} of the long list of names`).join('\n');
const LOG = serverLog(800);

const addressIn = (text: string): string => /recall: (c_[0-9a-f]{16})/.exec(text)?.[1] ?? '';

describe.each(wireBuilders)('arrival in a context, $name', (builder) => {
  const started = (policy = POLICY): TestSession =>
    new TestSession({ builder, policy, windowTokens: 200_000 }).user('Go.');
  const sent = async (session: TestSession): Promise<string[]> => {
    const turn = await session.prepare();
    const messages = messagesOf(turn, builder).map((message) => JSON.stringify(builder.codec.canonical(message)));
    await turn.accept(builder.reply({ text: 'Next.' }));
    return messages;
  };

  it('shapes before the first request and changes nothing afterwards', async () => {
    const session = started().round(LIST);
    const first = await sent(session);
    session.round(LIST, LOG);
    const second = await sent(session);
    session.round('ok');
    const third = await sent(session);
    expect(second.slice(0, first.length)).toEqual(first);
    expect(third.slice(0, second.length)).toEqual(second);
    expect(second.join('')).toContain('Unchanged: the same 4209 characters as the result of bash step 1 above');
    expect(second.join('')).toContain('Preview (log)');
    expect(session.context.groups().map((group) => isEpoch(group) && [group.cause, group.edits.length])).toEqual([
      ['arrival', 2],
    ]);
  });

  it('gives the same bytes when nothing new came', async () => {
    const session = started().round(LOG);
    const [one, other] = [await session.prepare(), await session.prepare()];
    expect(JSON.stringify(other.request)).toBe(JSON.stringify(one.request));
  });

  it('gives every original back', async () => {
    const session = started().round(LIST);
    await sent(session);
    session.round(LIST, LOG);
    const turn = await session.prepare();
    const marked = messagesOf(turn, builder)
      .flatMap(textsOf)
      .filter((text) => text.startsWith('<persisted-output>'));
    expect(marked).toHaveLength(2);
    await turn.accept(builder.reply({ text: 'Next.' }));
    const originals = await Promise.all(marked.map((text) => session.context.recall(addressIn(text))));
    expect(originals.map((original) => original.kind === 'content' && original.text)).toEqual([LIST, LOG]);
  });

  it('decides after a restart as it would have without one', async () => {
    const session = started().round(LIST);
    await sent(session);
    const restored = new TestSession({ builder, policy: POLICY, windowTokens: 200_000, archive: session.archive });
    await restored.context.restore(
      JSON.parse(JSON.stringify(session.context.snapshot())),
      JSON.parse(JSON.stringify(session.context.history())) as object[],
    );
    const round = (target: TestSession): void =>
      target.context.append([
        builder.assistant({ calls: [{ id: 'again', name: 'bash', input: { command: 'again' } }] }),
        ...builder.results([{ callId: 'again', text: LIST }]),
      ]);
    round(session);
    round(restored);
    const [own, other] = [await session.prepare(), await restored.prepare()];
    const bytes = (turn: typeof own): string =>
      JSON.stringify(messagesOf(turn, builder).map((message) => builder.codec.canonical(message)));
    expect(bytes(other)).toBe(bytes(own));
    expect(JSON.stringify(own.request)).toContain('Unchanged: the same');
  });

  it('holds where the request offers no way to redeem a marker', async () => {
    const session = started().round(LOG);
    const turn = await session.prepare(['bash']);
    expect(messagesOf(turn, builder).flatMap(textsOf)).toContain(LOG);
  });

  it('leaves no pointer at what left the view', async () => {
    const session = started({ ...POLICY, layers: [arrival(), micro({ keepResults: 1 })] }).round(LIST);
    await sent(session);
    session.round(LIST);
    await sent(session);
    session.round('ok').round('fine');
    const texts = messagesOf(await session.prepare(), builder).flatMap(textsOf);
    const pointers = texts.filter((text) => text.includes('Unchanged: '));
    const hasTarget = texts.includes(LIST);
    expect(pointers.length === 0 || hasTarget).toBe(true);
    expect(texts.some((text) => text.includes(LIST))).toBe(hasTarget);
  });
});
