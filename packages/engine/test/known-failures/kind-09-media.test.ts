/** Pictures, documents, and the bytes of a request. */
import { describe, expect, it } from 'vitest';
import { classifyError } from '../../src/index.ts';
import { anthropicBuilder, openaiChatBuilder } from '../../src/testing/wire-builder.ts';
import { filler, POLICIES, refusedBytes, SCENES, Story, sum, tooLong } from './support/story.ts';

/** Base64 of a size of its own, so that each picture can be told. */
const picture = (n: number, chars = 80_000): string =>
  Buffer.from(`picture ${n} `.padEnd((chars * 3) / 4, '.')).toString('base64');

describe.each(SCENES)('kind 9, $name', (scene) => {
  const { builder } = scene;

  it('I01: a body refused for its bytes loses the oldest and largest, and keeps the newest picture', async () => {
    const story = new Story(scene);
    for (let n = 1; n <= 12; n += 1) {
      story.context.append([builder.user(`Picture ${n}.`, picture(n))]);
      if (n < 12) story.assistant(`Seen ${n}.`);
    }
    let turn = await story.ask();
    const before = JSON.stringify(turn.request).length;
    expect(turn.receipt.tokens.calibrated).toBeLessThan(turn.receipt.window.actTokens * 0.2);
    turn = await story.afterRefusal(turn, refusedBytes());
    const request = JSON.stringify(turn.request);
    expect(request.length).toBeLessThan(before * 0.8);
    expect(request).toContain(picture(12));
    await story.settle(turn);
  });

  it('I03: the writer is given words: no picture reaches it', async () => {
    const writer = sum();
    const story = new Story(scene, { writer });
    for (let n = 0; n < 25; n += 1) {
      story.context.append([builder.user(`Picture ${n}.`, picture(n, 4_000))]);
      story.assistant(filler(`Seen ${n}`, 200));
    }
    story.user('And now?');
    story.context.compact();
    const turn = await story.ask();
    expect(writer.prompts).toHaveLength(1);
    expect(writer.prompts[0]).toContain('user media image');
    expect(writer.prompts[0]).not.toContain(picture(3, 4_000).slice(0, 60));
    await story.settle(turn);
  });

  it('I04: text alone that is too many bytes ends in one clear error after a few tries', async () => {
    const story = new Story(scene, { windowTokens: 2_000_000 }).user(filler('HUGE', 400_000));
    let turn = await story.prepare();
    let tries = 0;
    const refused = async (): Promise<void> => {
      for (; tries < 10; tries += 1) {
        const next = await turn.fail(refusedBytes());
        if (next === undefined) throw new Error('not taken for one about size');
        turn = next;
      }
    };
    await expect(refused()).rejects.toMatchObject({ code: 'WINDOW_EXHAUSTED', cause: { status: 413 } });
    expect(tries).toBeLessThanOrEqual(2);
    expect(story.context.history()).toHaveLength(1);
  });

  it('I05: too many or too large pictures are no overflow: the host is told, and nothing is compacted', async () => {
    const words = 'messages.3.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes';
    const error = Object.assign(new Error(words), { status: 400 });
    expect(classifyError(error)).toMatchObject({ kind: 'overflow', what: 'media' });
    const story = new Story(scene, { writer: sum() });
    story.context.append([builder.user('Look.', picture(1))]);
    const turn = await story.ask();
    expect(await turn.fail(error)).toBeUndefined();
    expect(story.context.groups()).toEqual([]);
    expect((await story.ask()).receipt.layers).toEqual([]);
  });

  it('I06: sizes before and after are of the same kind, with pictures in every place', async () => {
    const story = new Story(scene, { writer: sum() });
    for (let n = 0; n < 30; n += 1) {
      story.context.append([builder.user(`Picture ${n}.`, picture(n, 2_000))]);
      story.assistant(filler(`Seen ${n}`, 300));
    }
    story.user('And now?');
    const plain = await story.ask();
    expect(plain.receipt.tokens.appendOnly).toBeGreaterThan(30 * 1_600);
    story.context.compact();
    const { receipt } = await story.ask();
    expect(receipt.tokens.appendOnly).toBe(plain.receipt.tokens.appendOnly);
    const summary = receipt.layers.find(({ layer }) => layer === 'summary');
    expect(summary?.tokensAfter).toBe(receipt.tokens.view);
    expect(receipt.tokens.view).toBeLessThan(plain.receipt.tokens.view);
  });
});

describe.each(POLICIES)('kind 9, $name, shapes', (policy) => {
  it('I02: pictures in results give way like any result, the user’s newest stays', async () => {
    const story = new Story({ name: '', builder: anthropicBuilder, policy });
    story.context.append([anthropicBuilder.user('Compare with this.', picture(0))]);
    for (let n = 1; n <= 8; n += 1) {
      const source = { type: 'base64', media_type: 'image/png', data: picture(n) };
      story.call(`t${n}`);
      story.context.append(
        anthropicBuilder.results([{ callId: `t${n}`, text: '', content: [{ type: 'image', source }] }]),
      );
      const turn = await story.prepare();
      await story.settle(turn, { text: `Seen ${n}.` });
      story.user('On.');
    }
    story.context.append([anthropicBuilder.user('And this?', picture(99))]);
    const turn = await story.ask();
    const next = await story.afterRefusal(turn, refusedBytes());
    const request = JSON.stringify(next.request);
    expect(request).toContain(picture(99));
    expect(request).not.toContain(picture(1));
    const [, address = ''] = /recall: (c_[0-9a-f]{16})/.exec(story.shown(next)) ?? [];
    await story.settle(next);
    expect(JSON.stringify(await story.context.recall(address))).toContain(picture(1));
  });

  it('I04: documents give way to a marker each, and the turn goes on', async () => {
    const story = new Story({ name: '', builder: anthropicBuilder, policy });
    for (let n = 0; n < 10; n += 1) {
      const source = { type: 'base64', media_type: 'application/pdf', data: picture(n, 200_000) };
      story.context.append([
        {
          role: 'user',
          content: [
            { type: 'document', source },
            { type: 'text', text: `Document ${n}.` },
          ],
        },
      ]);
      story.assistant(`Read ${n}.`);
    }
    story.user('And now?');
    const turn = await story.ask();
    const next = await story.afterRefusal(turn, refusedBytes());
    expect(JSON.stringify(next.request).length).toBeLessThan(1_600_000);
    expect(story.shown(next)).toContain('[application/pdf left out, recall: c_');
    await story.settle(next);
  });

  it('I07: pictures are known in every shape: counted flat, and marked where they give way', async () => {
    const data = picture(1, 40_000);
    const url = `data:image/png;base64,${data}`;
    const claude = { name: '', builder: anthropicBuilder, policy };
    const chat = { name: '', builder: openaiChatBuilder, policy };
    const shapes: readonly (readonly [string, typeof claude, object])[] = [
      ['image', claude, { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
      ['image by url', claude, { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }],
      ['document', claude, { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } }],
      ['image_url', chat, { type: 'image_url', image_url: { url } }],
      ['input_audio', chat, { type: 'input_audio', input_audio: { data, format: 'wav' } }],
      ['file', chat, { type: 'file', file: { file_data: url, filename: 'a.pdf' } }],
    ];
    for (const [name, scene, block] of shapes) {
      const story = new Story(scene).user('Begin.').assistant('Yes.');
      story.context.append([{ role: 'user', content: [block, { type: 'text', text: 'Look.' }] }]);
      const turn = await story.prepare();
      expect(turn.receipt.tokens.view, name).toBeGreaterThan(1_600);
      expect(turn.receipt.tokens.view, name).toBeLessThan(1_650);
    }
    const inText = new Story(chat).user(`Look: ${url}`);
    expect((await inText.prepare()).receipt.tokens.view).toBeGreaterThan(10_000);
    const many = new Story(chat);
    for (let n = 0; n < 6; n += 1)
      many.context.append([
        openaiChatBuilder.user(`No. ${n}`, picture(n)),
        openaiChatBuilder.assistant({ text: 'Ok.' }),
      ]);
    many.user('And now?');
    const refused = await many.ask();
    expect(many.shown(await many.afterRefusal(refused, refusedBytes()))).toContain('[image left out, recall: c_');
    expect(await many.prepare().then((turn) => turn.fail(tooLong(9_000, 6_000)))).toBeDefined();
  });
});
