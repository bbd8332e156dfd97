/**
 * When the provider says "too long": `turn.fail` makes a smaller request, and what left the view is got back by its address.
 * Run: npx tsx --conditions=@holdover/source examples/overflow.ts
 */
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { createContext } from '@holdover/engine';
import { memoryArchive } from '@holdover/engine/archives/memory';
import { openaiChat } from '@holdover/engine/codecs/openai-chat';
import { createSimulator, scripted } from '@holdover/simulator';

const simulator = await createSimulator({ brain: scripted(['Done.']), windowTokens: 6_000 });
const client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'none', maxRetries: 0 });

// The catalogue is wrong: it believes in 128,000 tokens, the server gives 6,000.
const context = createContext({ codec: openaiChat(), archive: memoryArchive(), windowTokens: 128_000 });
const secret = 'the number is 4711';
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'user', content: 'Read the log.' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"app.log"}' } }],
  },
  {
    role: 'tool',
    tool_call_id: 'call_1',
    content: `${'all is well\n'.repeat(3_000)}${secret}\n${'all is well\n'.repeat(3_000)}`,
  },
];

let turn = await context.prepare({ model: 'gpt-test', messages });
let reply: OpenAI.ChatCompletion | undefined;
while (reply === undefined) {
  try {
    reply = await client.chat.completions.create(turn.request);
  } catch (error) {
    const smaller = await turn.fail(error);
    if (smaller === undefined) throw error;
    process.stdout.write(
      `refused, trying again with ${smaller.receipt.tokens.view} tokens instead of ${turn.receipt.tokens.view}\n`,
    );
    turn = smaller;
  }
}
await turn.accept(reply);

const found = context.search('4711');
assert.equal(found.kind, 'hits');
const [hit] = found.kind === 'hits' ? found.hits : [];
assert.ok(hit);
const original = await context.recall(hit.address);
assert.ok(original.kind === 'content' && original.text.includes(secret));
process.stdout.write(`${hit.what}: got back ${original.text.length} characters\n`);
await simulator.close();
