import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { scripted, type ScriptedStep } from '../../src/index.ts';
import { encodeEvent } from '../../src/server/send.ts';
import { type Json, post, start, user } from '../support.ts';

const STEP: ScriptedStep = [
  { kind: 'thinking', text: 'The user wants a list. I will call the tool.' },
  { kind: 'text', text: 'Let me look — one moment, please.' },
  { kind: 'call', name: 'ls', input: { path: 'src/ü', deep: true } },
  { kind: 'call', name: 'cat', input: {} },
];
const ANTHROPIC = { model: 'sim-1', max_tokens: 500, messages: [user('What is here?')] };
const OPENAI = { model: 'sim-1', messages: [user('What is here?')] };

async function record(path: string, body: Json): Promise<Response> {
  const simulator = await start({ brain: scripted([STEP]), now: () => 1_800_000_000_000 });
  return post(simulator, path, body);
}

/** Recorded payloads. `UPDATE_GOLDEN=1` writes them anew. */
async function expectGolden(name: string, actual: string): Promise<void> {
  const file = new URL(`../golden/${name}`, import.meta.url);
  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(file, actual);
  expect(actual).toBe(await readFile(file, 'utf8'));
}

describe('recorded payloads', () => {
  it.each([
    ['anthropic-stream.sse', '/v1/messages', { ...ANTHROPIC, stream: true }],
    ['anthropic-whole.json', '/v1/messages', ANTHROPIC],
    ['openai-stream.sse', '/v1/chat/completions', { ...OPENAI, stream: true, stream_options: { include_usage: true } }],
    ['openai-whole.json', '/v1/chat/completions', OPENAI],
  ])('%s', async (name, path, body) => {
    const response = await record(path, body);
    const type = name.endsWith('.sse') ? 'text/event-stream; charset=utf-8' : 'application/json';
    expect(response.headers.get('content-type')).toBe(type);
    await expectGolden(name, await response.text());
  });

  it('leaves usage out of an OpenAI stream unless asked', async () => {
    const events = await (await record('/v1/chat/completions', { ...OPENAI, stream: true })).text();
    expect(events).not.toContain('usage');
    expect(events.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});

it('encodes named and bare events', () => {
  expect(encodeEvent({ name: 'ping', data: { type: 'ping' }, isDelta: false })).toBe(
    'event: ping\ndata: {"type":"ping"}\n\n',
  );
  expect(encodeEvent({ data: '[DONE]', isDelta: false })).toBe('data: [DONE]\n\n');
});
