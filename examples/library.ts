/**
 * The library in ten lines: any client, one context in front of it. Here the client is Anthropic's own SDK and the provider the simulator, so
 * that it runs without a key. Run: npx tsx --conditions=@holdover/source examples/library.ts
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { createContext } from '@holdover/engine';
import { fsArchive } from '@holdover/engine/archives/fs';
import { anthropic } from '@holdover/engine/codecs/anthropic';
import { createSimulator, scripted } from '@holdover/simulator';

const folder = mkdtempSync(join(tmpdir(), 'holdover-example-'));
const simulator = await createSimulator({
  brain: scripted(['Hello.', 'Yes, the window is small.']),
  windowTokens: 8_000,
});
const client = new Anthropic({ baseURL: simulator.url, apiKey: 'none' });

// #region library
const context = createContext({ codec: anthropic(), archive: fsArchive(folder), windowTokens: 8_000 });
const messages: Anthropic.MessageParam[] = [];

async function ask(text: string): Promise<string> {
  messages.push({ role: 'user', content: text });
  const turn = await context.prepare({ model: 'claude-sonnet-5', max_tokens: 1_000, messages });
  const reply = await client.messages.create(turn.request);
  await turn.accept(reply);
  messages.push({ role: 'assistant', content: reply.content });
  return reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
// #endregion

assert.equal(await ask('Hello?'), 'Hello.');
assert.equal(await ask(`Is the window small? ${'Some long text. '.repeat(100)}`), 'Yes, the window is small.');
process.stdout.write(`context: ${JSON.stringify(context.gauge())}\n`);
await simulator.close();
rmSync(folder, { recursive: true });
