import { expect, it } from 'vitest';
import {
  fromAnthropicMessages,
  fromOpenaiMessages,
  recorded,
  type SimMessage,
  type SimRequest,
  type SimulatorOptions,
  type Simulator,
} from '../../src/index.ts';
import { ask, assistant, call, result, quickCount, start as startExact, text, user } from '../support.ts';

const start = (options: Partial<SimulatorOptions> = {}): Promise<Simulator> =>
  startExact({ countTokens: quickCount, ...options });

const wire = [
  user('list'),
  assistant([text('Looking.'), call('a', 'ls', { path: '.' })]),
  user([result('a', 'x.ts')]),
  assistant('One file.'),
];
const record = fromAnthropicMessages(wire);

function request(...messages: SimMessage[]): SimRequest {
  return { profile: 'anthropic', model: 'm', system: '', messages, tools: [], maxOutputTokens: 10 };
}

const asked = (said: string): SimMessage => ({ role: 'user', parts: [{ kind: 'text', text: said }] });

it('plays a record back over the wire, under its own ids', async () => {
  const brain = recorded(record);
  const simulator = await start({ brain });
  const first = await ask(simulator, { messages: wire.slice(0, 1) });
  expect(first.body.content).toEqual(wire[1]?.['content']);
  const second = await ask(simulator, { messages: wire.slice(0, 3) });
  expect(second.body.content).toEqual([{ type: 'text', text: 'One file.' }]);
  brain.assertDone();
});

it('looks at the newest user message only', async () => {
  const brain = recorded(record);
  await brain.reply(request(asked('list')));
  const last = record[2];
  if (last !== undefined) await brain.reply(request(asked('a summary of all before'), last));
  expect(() => brain.assertDone()).not.toThrow();
});

it('stops at a divergence, a call too many, and answers left', () => {
  const brain = recorded(record);
  expect(() => brain.reply(request(asked('something else')))).toThrow(
    /call 1 diverged .* part 1 .*"list".*"something else"/,
  );
  expect(() => brain.assertDone()).toThrow('2 of 2 recorded answers');
  const empty = recorded([]);
  expect(() => empty.reply(request(asked('x')))).toThrow('unexpected model call: the record has 0 answers');
});

it('compares by shape or not at all on request', () => {
  const shape = recorded(record, { compare: 'shape' });
  shape.reply(request(asked('other words')));
  const otherResult: SimMessage = {
    role: 'user',
    parts: [{ kind: 'result', callId: 'b', text: 'x.ts', isError: false }],
  };
  expect(() => shape.reply(request(otherResult))).toThrow('expected result of a, got result of b');
  const none = recorded(record, { compare: 'none' });
  none.reply(request());
  expect(none.reply(request())).toEqual({ parts: [{ kind: 'text', text: 'One file.' }] });
});

it('reads OpenAI messages too', () => {
  const messages = [
    { role: 'user', content: 'list' },
    {
      role: 'assistant',
      content: 'Looking.',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'ls', arguments: '{"path":"."}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'x.ts' },
    { role: 'assistant', content: 'One file.' },
  ];
  expect(fromOpenaiMessages(messages)).toEqual(record);
});
