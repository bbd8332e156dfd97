/**
 * A provider of one's own: any function from a request to a reply in one of the two wire formats. What differs from the vendor's own is
 * `send`; the rest is that format's. Run: npx tsx --conditions=@holdover/source examples/provider.ts
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, openaiChatProvider, type Provider } from '@holdover/agent';

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

// #region provider
const shouting: Provider = {
  ...openaiChatProvider(),
  async send(request, { signal, onText }) {
    signal.throwIfAborted();
    const { model, messages } = request as ChatRequest;
    const last = messages.at(-1)?.content;
    const words = Array.isArray(last) ? last.map((part: { text?: string }) => part.text ?? '').join(' ') : String(last);
    const content = words.toUpperCase();
    onText(content);
    return {
      id: 'reply_1',
      object: 'chat.completion',
      model,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
      usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 },
    };
  },
};
// #endregion

const workspace = mkdtempSync(join(tmpdir(), 'holdover-example-'));
const agent = await createAgent({ model: 'shouting-1', provider: shouting, workspace });
const { text } = await agent.run('hello there');
process.stdout.write(`${text}\n`);
assert.equal(text, 'HELLO THERE');
await agent.close();
rmSync(workspace, { recursive: true });
