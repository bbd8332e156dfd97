/** What a host in the middle must not do. Streams are put together by the official SDKs, which the agent's tests cover; a proxy is a later part. */
import { describe, expect, it } from 'vitest';
import { messagesOf } from '../golden/session.ts';
import { filler, SCENES, Story, sum } from './support/story.ts';

const EXACT = [
  'a  b\t\tc \n\n\n d',
  '$& $1 \\n',
  '<persisted-output>quoted</persisted-output>',
  'ä\u0000🦊 e\u0301',
  '[Compacted]',
];

describe.each(SCENES)('kind 20, $name', (scene) => {
  const { builder } = scene;

  it('T03: the words of the user go out as they came in, and so does every message nobody touched', async () => {
    const story = new Story(scene, { writer: sum() });
    for (const text of EXACT) story.user(text).assistant(`Said ${text}`);
    story.user('And now?');
    const turn = await story.ask();
    const canonical = (messages: readonly object[]): string =>
      JSON.stringify(messages.map((message) => builder.codec.canonical(message)));
    expect(canonical(messagesOf(turn, builder))).toBe(canonical(story.context.history()));
    const other = new Story(scene, { writer: sum() }).talk(12, 900).user(EXACT.join(' | '));
    other.context.compact();
    expect(other.shown(await other.ask())).toContain(EXACT.join(' | '));
  });

  it('T03: tools whose results have to stay are left alone by a policy that leaves them', async () => {
    const policy = { ...scene.policy, layers: [] };
    const story = new Story(scene, { policy }).user('Go.');
    for (let n = 0; n < 8; n += 1) story.round(filler(`EXACT-${n}`, 2_000));
    const turn = await story.user('And now?').ask();
    for (let n = 0; n < 8; n += 1) expect(story.shown(turn)).toContain(filler(`EXACT-${n}`, 2_000));
  });
});
