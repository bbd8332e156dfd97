import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../src/index.ts';
import { ask, assistant, call, chat, type Json, quickCount, result, text, user, yes } from './support.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await createSimulator({ countTokens: quickCount, brain: yes });
});
afterAll(async () => simulator.close());

/** Calls per assistant turn: 0 is plain text. */
const rounds = fc.array(fc.nat(3), { minLength: 1, maxLength: 6 });

function anthropicMessages(counts: readonly number[]): Json[] {
  const messages: Json[] = [user('go')];
  for (const [turn, count] of counts.entries()) {
    const ids = Array.from({ length: count }, (_, index) => `t${turn}_${index}`);
    messages.push(assistant([text('so'), ...ids.map((id) => call(id))]));
    messages.push(user(count === 0 ? 'next' : [...ids.map((id) => result(id)), text('and')]));
  }
  return messages;
}

function openaiMessages(counts: readonly number[]): Json[] {
  const messages: Json[] = [user('go')];
  for (const [turn, count] of counts.entries()) {
    const ids = Array.from({ length: count }, (_, index) => `c${turn}_${index}`);
    const calls = ids.map((id) => ({ id, type: 'function', function: { name: 'ls', arguments: '{}' } }));
    messages.push({ role: 'assistant', content: 'so', ...(count === 0 ? {} : { tool_calls: calls }) });
    messages.push(...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'done' })), user('next'));
  }
  return messages;
}

/** Removing any message next to a call leaves a call without its result, or the reverse. */
describe('random conversations', () => {
  it('are accepted by the Messages profile, and refused with a half of a pair missing', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (counts) => {
        const messages = anthropicMessages(counts);
        expect((await ask(simulator, { messages })).status).toBe(200);
        const at = counts.findIndex((count) => count > 0);
        if (at === -1) return;
        for (const removed of [1 + 2 * at, 2 + 2 * at]) {
          const broken = messages.toSpliced(removed, 1);
          expect((await ask(simulator, { messages: broken })).status).toBe(400);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('are accepted by the Chat profile, and refused with any half of a pair missing', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, fc.nat(), async (counts, pick) => {
        const messages = openaiMessages(counts);
        expect((await chat(simulator, { messages })).status).toBe(200);
        const halves = messages.flatMap((message, index) =>
          message['role'] === 'tool' || 'tool_calls' in message ? [index] : [],
        );
        const removed = halves[pick % Math.max(1, halves.length)];
        if (removed === undefined) return;
        expect((await chat(simulator, { messages: messages.toSpliced(removed, 1) })).status).toBe(400);
      }),
      { numRuns: 30 },
    );
  });
});
