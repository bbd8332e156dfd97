/** Thinking, reasoning and encrypted content made invalid by a compaction. */
import { describe, expect, it } from 'vitest';
import { anthropicBuilder, openaiChatBuilder } from '../../src/testing/wire-builder.ts';
import { messagesOf } from '../golden/session.ts';
import { filler, POLICIES, SCENES, Story, sum, tooLong, type Turned } from './support/story.ts';

type Block = Readonly<Record<string, unknown>>;

const thinking = (tag: string): Block => ({
  type: 'thinking',
  thinking: `I think ${tag}.`,
  signature: `signed ${tag}`,
});
const redacted = (tag: string): Block => ({ type: 'redacted_thinking', data: `sealed ${tag}` });
const said = (text: string): Block => ({ type: 'text', text });
const use = (id: string): Block => ({ type: 'tool_use', id, name: 'bash', input: { command: id } });

const blocksOf = (message: object): readonly Block[] => {
  const { content } = message as { content: unknown };
  return typeof content === 'string' ? [said(content)] : (content as readonly Block[]);
};

const isThinking = ({ type }: Block): boolean => type === 'thinking' || type === 'redacted_thinking';

describe.each(POLICIES)('kind 8, $name, thinking with signatures', (policy) => {
  const scene = { name: policy.name, builder: anthropicBuilder, policy };
  const content = [thinking('one'), said('First.'), thinking('two'), use('t1')];

  const told = (options: object = {}): Story => {
    const story = new Story(scene, { writer: sum(), ...options }).talk(6, 900).user('Run it.');
    story.context.append([
      { role: 'assistant', content },
      ...anthropicBuilder.results([{ callId: 't1', text: filler('ran', 900) }]),
    ]);
    return story;
  };

  /** The assistant message is there as it was, or nothing of its thinking is. */
  const expectWhole = (turn: Turned): boolean => {
    const found = messagesOf(turn).find((message) => blocksOf(message).some(isThinking));
    const strip = ({ cache_control: _, ...block }: Block): Block => block;
    if (found !== undefined) expect(blocksOf(found).map(strip)).toEqual(content);
    return found !== undefined;
  };

  it('H01: whatever is done, a message with thinking is sent exactly, or its thinking is gone', async () => {
    const seen: boolean[] = [];
    const plain = told();
    seen.push(expectWhole(await plain.ask()));
    const micro = told().talk(1, 60);
    for (let n = 0; n < 4; n += 1) micro.round(filler(`more ${n}`, 900));
    seen.push(expectWhole(await micro.user('And now?').ask()));
    for (const upTo of [2, 6, 7, 8, 9]) {
      const cut = told().user('And now?');
      cut.context.compact({ span: { upTo } });
      const turn = await cut.ask();
      seen.push(expectWhole(turn));
      await cut.settle(turn);
      if (await cut.context.undo()) expectWhole(await cut.user('Then?').ask());
    }
    const refused = told({ windowTokens: 20_000, maxOutputTokens: 1_000 }).user('And now?');
    const smaller = await refused.afterRefusal(await refused.ask(), tooLong(1_700, 1_500));
    seen.push(expectWhole(smaller));
    expect(new Set(seen)).toEqual(new Set([true, false]));
  });

  it('H02: thinking in front of a compaction is not sent again', async () => {
    const story = told().user('And now?');
    story.context.compact();
    await story.settle(await story.ask());
    for (let n = 0; n < 3; n += 1) {
      const turn = await story.user(`Then ${n}?`).ask();
      expect(expectWhole(turn)).toBe(false);
      await story.settle(turn);
    }
  });

  it('H03: for another model it is whole or absent, never half', async () => {
    const story = told();
    const request = anthropicBuilder.request([], { toolNames: ['bash', 'recall'] });
    for (const model of ['model-a', 'model-b', 'model-a']) {
      const turn = await story.context.prepare({ ...request, model });
      expect(expectWhole(turn)).toBe(true);
    }
  });

  it('H04: text and signature go together: every pair that is sent was received', async () => {
    const story = new Story(scene, { writer: sum(), windowTokens: 8_000, maxOutputTokens: 1_000 }).user('Go.');
    const pairs = new Set<string>();
    let sent = 0;
    for (let n = 0; n < 20; n += 1) {
      const block = thinking(`${n} ${'deeply '.repeat(20 * (n % 4))}`);
      pairs.add(JSON.stringify([block['thinking'], block['signature']]));
      story.context.append([
        { role: 'assistant', content: [block, use(`c${n}`)] },
        ...anthropicBuilder.results([{ callId: `c${n}`, text: filler('ran', 900) }]),
      ]);
      const turn = await story.ask();
      for (const one of messagesOf(turn).flatMap(blocksOf).filter(isThinking)) {
        sent += 1;
        expect(pairs).toContain(JSON.stringify([one['thinking'], one['signature']]));
      }
      await story.settle(turn, { text: `step ${n}` });
      story.user('On.');
    }
    expect(sent).toBeGreaterThan(20);
  });

  it('H09: sealed thinking in front of a call that waits goes back as it came', async () => {
    const story = new Story(scene).user('Run it.');
    const sealed = [redacted('a'), thinking('b'), use('t1')];
    await (await story.ask()).accept({ content: sealed, stop_reason: 'tool_use' });
    story.results(['t1', 'ran']);
    const turn = await story.ask();
    expect(messagesOf(turn)[1]).toEqual({ role: 'assistant', content: sealed });
  });

  it('H10: thinking never turns into words', async () => {
    const story = told().user('And now?');
    const turn = await story.context.prepare({
      ...anthropicBuilder.request([], { toolNames: ['recall'] }),
      model: 'other',
    });
    const words = messagesOf(turn)
      .flatMap(blocksOf)
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text);
    expect(words.filter((text) => /think/i.test(String(text)))).toEqual([]);
    story.context.compact();
    const compacted = await story.ask();
    expect(story.shown(compacted)).not.toMatch(/I think|<thinking>/);
  });

  it('H08: a compaction of the provider’s own stays where it was, and nothing takes its place', async () => {
    const native = {
      role: 'assistant',
      content: [{ type: 'compaction', content: 'Before: all of it.' }, said('Going on.')],
    };
    const story = new Story(scene, { writer: sum() }).user('Begin.');
    story.context.append([native]);
    story.talk(9, 900);
    story.context.compact();
    const turn = await story.prepare();
    expect(messagesOf(turn)[1]).toEqual(native);
    expect(turn.receipt.layers.map(({ layer }) => layer)).toEqual(['summary']);
  });
});

describe.each(SCENES.filter(({ builder }) => builder === openaiChatBuilder))('kind 8, $name', (scene) => {
  it('H05: reasoning stays on every reply that is sent, and a summary is the user’s', async () => {
    // As DeepSeek wants it: reasoning that is bound to nothing and has to come back.
    const story = new Story(scene, { writer: sum(), reasoningBinding: () => 'none' }).talk(6, 900).user('Run both.');
    for (const id of ['t1', 't2'])
      story.calls({ ids: [id], thought: `because of ${id}` }).results([id, filler('ran', 900)]);
    story.user('And now?');
    story.context.compact({ span: { upTo: 7 } });
    const turn = await story.ask();
    const messages = messagesOf(turn, openaiChatBuilder) as readonly Block[];
    const called = messages.filter((message) => message['tool_calls'] !== undefined);
    expect(called.map((message) => message['reasoning_content'])).toEqual(['because of t1', 'because of t2']);
    expect(messages[0]).toMatchObject({ role: 'user' });
    expect(JSON.stringify(messages[0])).toContain('[Compacted]');
  });

  it('H06: what a server puts beside a call, such as a thought signature, comes back with it', async () => {
    const called = {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 't1',
          type: 'function',
          function: { name: 'bash', arguments: '{}' },
          extra_content: { google: { thought_signature: 'c2lnbmVk' } },
        },
      ],
    };
    const story = new Story(scene, { writer: sum() }).talk(7, 900);
    story.context.append([called, ...openaiChatBuilder.results([{ callId: 't1', text: 'ran' }])]);
    story.context.compact({ span: { upTo: 6 } });
    const turn = await story.ask();
    expect(turn.receipt.summary).toMatchObject({ trigger: 'manual' });
    expect(messagesOf(turn, openaiChatBuilder)).toContainEqual(called);
  });
});

describe.each(SCENES)('kind 8, $name', (scene) => {
  it('H07: nothing of the writer’s reply but its words comes into the session', async () => {
    const writer = sum(() => ({
      text: 'Goal: to go on.',
      stop: 'end' as const,
      ...{ reasoning: { encrypted_content: 'c2VhbGVk' }, thinking: 'my own thoughts' },
    }));
    const story = new Story(scene, { writer }).talk(12, 900).user('And now?');
    story.context.compact();
    const turn = await story.ask();
    await story.settle(turn);
    const all = JSON.stringify([turn.request, story.context.history(), story.context.snapshot()]);
    expect(all).toContain('Goal: to go on.');
    expect(all).not.toMatch(/c2VhbGVk|my own thoughts/);
  });
});
