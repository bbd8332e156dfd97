import { expect, it } from 'vitest';
import { scripted, type SimRequest } from '../../src/index.ts';

const request: SimRequest = {
  profile: 'anthropic',
  model: 'm',
  system: '',
  messages: [],
  tools: [],
  maxOutputTokens: 10,
};

it('takes strings, parts, lists, replies and functions', async () => {
  const part = { kind: 'text', text: 'b' } as const;
  const brain = scripted(['a', part, [part, part], { parts: [part], stop: 'cap' }, async ({ model }) => model]);
  const replies = [];
  for (let index = 0; index < 5; index += 1) replies.push(await brain.reply(request));
  expect(replies).toEqual([
    { parts: [{ kind: 'text', text: 'a' }] },
    { parts: [part] },
    { parts: [part, part] },
    { parts: [part], stop: 'cap' },
    { parts: [{ kind: 'text', text: 'm' }] },
  ]);
  expect(() => brain.assertDone()).not.toThrow();
  expect(brain.requests).toHaveLength(5);
});

it('throws on one call too many', async () => {
  const brain = scripted(['a']);
  await brain.reply(request);
  await expect(brain.reply(request)).rejects.toMatchObject({
    code: 'unexpected_call',
    message: 'unexpected model call: call 2 of a script with 1 steps',
  });
});

it('throws when steps are left', async () => {
  const brain = scripted(['a', 'b', 'c']);
  await brain.reply(request);
  expect(() => brain.assertDone()).toThrow('2 of 3 scripted steps were not asked for');
});
