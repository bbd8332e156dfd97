/** Requests refused for their shape. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openaiChatBuilder } from '../../src/testing/wire-builder.ts';
import { messagesOf } from '../golden/session.ts';
import { callIds, filler, partsIn, resultIds, SCENES, Story, sum, tooLong } from './support/story.ts';

describe.each(SCENES)('kind 16, $name', (scene) => {
  const { builder } = scene;
  const lastRole = (messages: readonly object[]): string => String((messages.at(-1) as { role?: string }).role);

  it('R01: a request ends with the user’s side, whatever is left of the conversation', async () => {
    const tails: readonly ((story: Story) => Story)[] = [
      (story) => story.user('And now?'),
      (story) =>
        story
          .user('Run it.')
          .call('t1')
          .results(['t1', filler('ran', 900)]),
      (story) => story.user('And now?').assistant('Well.').user('Yes?'),
    ];
    for (const tail of tails)
      for (const upTo of [8, 12, 13, 14, 15, 99]) {
        const story = tail(new Story(scene, { writer: sum() }).talk(12, 900));
        story.context.compact({ span: { upTo: Math.min(upTo, story.context.history().length) } });
        const turn = await story.ask();
        expect(['user', 'tool']).toContain(lastRole(messagesOf(turn, builder)));
      }
  });

  it('R04: the arguments of a call are sent as they came: no layer cuts them', async () => {
    const input = {
      path: 'ä/🦊.ts',
      text: filler('long', 20_000),
      list: [1, null, true, 'x'],
      deep: { a: { b: '"\\' } },
    };
    const story = new Story(scene, { windowTokens: 60_000, maxOutputTokens: 1_000 }).user('Write it.');
    story.context.append([
      builder.assistant({ calls: [{ id: 't1', name: 'bash', input }] }),
      ...builder.results([{ callId: 't1', text: filler('done', 4_000) }]),
    ]);
    const turn = await story.ask();
    const smaller = await story.afterRefusal(turn, tooLong(20_000, 16_000));
    for (const each of [turn, smaller])
      for (const part of partsIn(builder, each)) if (part.kind === 'call') expect(part.input).toEqual(input);
  });

  it('R04: arguments that are no JSON are left as they are', async () => {
    if (builder !== openaiChatBuilder) return;
    const broken = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 't1', type: 'function', function: { name: 'bash', arguments: '{"command": "ls' } }],
    };
    const story = new Story(scene).user('Go.');
    story.context.append([broken, ...builder.results([{ callId: 't1', text: 'no JSON' }])]);
    expect(messagesOf(await story.ask(), builder)[1]).toBe(broken);
  });

  it('R05: the request of a summary has no tools, so none twice', async () => {
    const writer = sum();
    const story = new Story(scene, { writer }).talk(12, 900).user('And now?');
    story.context.compact();
    await story.context.prepare(builder.request([], { toolNames: ['bash', 'recall', 'mcp__x', 'mcp__x'] }));
    expect(writer.requests.map((request) => Object.keys(request))).toEqual([['system', 'prompt', 'maxOutputTokens']]);
  });

  it('R06: a request without tools has no calls in it: the transcript is text', async () => {
    const writer = sum();
    const story = new Story(scene, { writer }).user('Go.');
    for (let n = 0; n < 5; n += 1) story.round(filler(`result ${n}`, 3_000));
    story.user('And now?');
    story.context.compact();
    await story.ask();
    const [request] = writer.requests;
    const message = builder.codec.compose([request?.prompt ?? '']);
    expect(builder.codec.decode(message).parts.map(({ kind }) => kind)).toEqual(['text']);
    expect(request?.prompt).toContain('assistant call bash "{\\"command\\":\\"step 1\\"}"');
  });

  it('R06: an id of any length and alphabet is the same on a call and its result', async () => {
    // Messages allows letters, digits, `_` and `-`; servers behind Chat Completions give anything.
    const id = builder === openaiChatBuilder ? `call|${'é:/+='.repeat(89)}` : `toolu_${'aZ-_9'.repeat(89)}`;
    const story = new Story(scene, { writer: sum() })
      .talk(8, 900)
      .user('Go.')
      .call(id)
      .results([id, filler('ran', 2_000)]);
    for (let n = 0; n < 4; n += 1) story.round(filler(`more ${n}`, 900));
    story.user('And now?');
    story.context.compact({ span: { upTo: 8 } });
    const turn = await story.ask();
    expect(callIds(builder, turn)[0]).toBe(id);
    expect(resultIds(builder, turn)[0]).toBe(id);
  });

  const anyMessage = fc.oneof(
    fc.record({ kind: fc.constant('user' as const), text: fc.constantFrom('hello', ' ', 'go on', '🦊') }),
    fc.record({ kind: fc.constant('assistant' as const), text: fc.constantFrom('yes', 'done') }),
    fc.record({
      kind: fc.constant('calls' as const),
      ids: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('results' as const),
      ids: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 3 }),
    }),
  );

  it('R08: any malformed history becomes one the provider takes, and repairing that changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage, { maxLength: 14 }), async (messages) => {
        const story = new Story(scene).user('Begin.');
        for (const message of messages) {
          if (message.kind === 'user') story.context.append([builder.user(message.text)]);
          if (message.kind === 'assistant') story.assistant(message.text);
          if (message.kind === 'calls') story.call(...message.ids);
          if (message.kind === 'results') story.results(...message.ids.map((id) => [id, `result of ${id}`] as const));
        }
        story.user('And now?');
        // The master property: valid by both judges, and a second repair finds nothing.
        await story.ask();
      }),
      { numRuns: 150 },
    );
  });
});
