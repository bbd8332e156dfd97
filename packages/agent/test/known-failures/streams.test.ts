/** Kind 20 in the agent: a reply that comes in pieces is the reply that would have come whole. */
import { anthropicProvider } from '@holdover/agent';
import { expect, it } from 'vitest';
import { serveWeb } from '../support/web-server.ts';

type Block = Readonly<Record<string, unknown>>;

/** Each block as the provider gives it whole. */
const WHOLE: readonly Block[] = [
  { type: 'thinking', thinking: 'Let me see.', signature: 'c2lnbmF0dXJl' },
  { type: 'redacted_thinking', data: 'c2VhbGVk' },
  { type: 'text', text: 'I look it up.', citations: null },
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'ä "quoted"' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', url: 'https://example.org', title: 'x', encrypted_content: 'ZQ==' }],
  },
  { type: 'hologram', payload: { list: [1, null, true] } },
  { type: 'tool_use', id: 'toolu_1', name: 'bash', input: { command: 'ls', deep: { a: [1] } } },
];

/** What a block begins as in a stream, and the pieces that come after. */
function pieces(block: Block): readonly [Block, ...Block[]] {
  const half = (text: unknown): readonly [string, string] => [String(text).slice(0, 3), String(text).slice(3)];
  if (block['type'] === 'text') {
    const [one, two] = half(block['text']);
    return [
      { ...block, text: '' },
      { type: 'text_delta', text: one },
      { type: 'text_delta', text: two },
    ];
  }
  if (block['type'] === 'thinking') {
    const [one, two] = half(block['thinking']);
    const signature = { type: 'signature_delta', signature: block['signature'] };
    return [
      { ...block, thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: one },
      { type: 'thinking_delta', thinking: two },
      signature,
    ];
  }
  if (block['input'] !== undefined) {
    const [one, two] = half(JSON.stringify(block['input']));
    return [
      { ...block, input: {} },
      { type: 'input_json_delta', partial_json: one },
      { type: 'input_json_delta', partial_json: two },
    ];
  }
  return [block];
}

function stream(blocks: readonly Block[]): string {
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const events: readonly Block[] = [
    { type: 'message_start', message },
    ...blocks.flatMap((block, index) => {
      const [start, ...deltas] = pieces(block);
      return [
        { type: 'content_block_start', index, content_block: start },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ];
    }),
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 20 } },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

it('T01: blocks of every kind, the unknown too, come out of a stream as they would whole', async () => {
  const server = await serveWeb(() => ({ body: stream(WHOLE) }));
  const provider = anthropicProvider({ baseUrl: server.url, apiKey: 'none' });
  const request = provider.request({
    model: 'm',
    system: 'x',
    tools: [],
    messages: [{ role: 'user', content: 'Go.' }],
    maxOutputTokens: 100,
  });
  const reply = await provider.send(request, { signal: new AbortController().signal, onText: () => undefined });
  const { message } = provider.codec.reply(reply);
  expect(JSON.parse(JSON.stringify(message))).toEqual({ role: 'assistant', content: WHOLE });
});
