import { describe, expect, it } from 'vitest';
import type { SimMessage, SimRequest } from '../../src/brain.ts';
import { createRulesBrain } from '../../src/brains/rules.ts';
import * as w from './rules-world.ts';

const brain = createRulesBrain();
const TASK = 'Read docs/a.md, then read docs/b.md, then write c.md with "c", then run `ls`. You must never push.';

async function history(): Promise<readonly SimMessage[]> {
  const world = new w.World({ 'docs/a.md': '# A', 'docs/b.md': '# B' });
  return (await w.play(brain, world, TASK)).messages.slice(0, 7);
}

async function answer(request: SimRequest): Promise<string> {
  const reply = await brain.reply(request);
  expect(w.callsOf(reply)).toEqual([]);
  return w.textOf(reply);
}

function expectWhole(text: string): void {
  expect(text).toContain(TASK.slice(0, 60));
  expect(text).toMatch(/Files read: docs\/a\.md, docs\/b\.md/);
  expect(text).toMatch(/Files changed: c\.md/);
  expect(text).toMatch(/Remaining work: run `ls`/);
  expect(text).toMatch(/User constraints: You must never push/);
  expect(text).toMatch(/Progress: Task [0-9a-f]{4}, step 3\/4 done$/);
  expect(text.length).toBeLessThanOrEqual(2_000);
}

describe('summaries', () => {
  it('are written when the last message asks for one, tools or not', async () => {
    const messages = [
      ...(await history()),
      w.userText('Your task is to create a detailed summary of the conversation so far.'),
    ];
    expectWhole(await answer(w.request(messages)));
    expectWhole(await answer(w.request(messages, [])));
  });

  it('are written when the order stands beside the newest results', async () => {
    const messages = [...(await history())];
    const last = messages.pop();
    messages.push({
      role: 'user',
      parts: [
        ...(last?.parts ?? []),
        ...w.userText('Summarize this coding-agent conversation so work can continue.').parts,
      ],
    });
    expectWhole(await answer(w.request(messages)));
  });

  it.each([
    ['lines with roles', (message: SimMessage) => `${message.role}: ${lines(message)}`],
    ['headings', (message: SimMessage) => `## ${message.role}\n\n${lines(message)}`],
    ['brackets', (message: SimMessage) => `[${message.role}]\n${lines(message)}`],
    ['JSON lines', (message: SimMessage) => JSON.stringify({ role: message.role, content: lines(message) })],
    [
      'JSON lines with parts',
      (message: SimMessage) =>
        JSON.stringify({ role: message.role, content: [{ type: 'text', text: lines(message) }] }),
    ],
  ])('are written of a transcript in %s', async (_, format) => {
    const transcript = (await history()).map(format).join('\n');
    expectWhole(await answer(w.request([w.userText(`Summarise this transcript.\n\n${transcript}`)], [])));
    expectWhole(await answer({ ...w.request([w.userText(transcript)], []), system: 'You summarise conversations.' }));
  });

  it('are written of a transcript whose every part is a JSON string', async () => {
    const transcript = (await history()).flatMap((message) =>
      message.parts.map((part) => {
        if (part.kind === 'text') return `${message.role} text ${JSON.stringify(part.text)}`;
        if (part.kind === 'call')
          return `${message.role} call ${part.name} ${JSON.stringify(JSON.stringify(part.input))}`;
        return part.kind === 'result' ? `tool result ${JSON.stringify(part.text)}` : '';
      }),
    );
    const prompt = `Summarize the conversation below.\n\n<conversation>\n${transcript.join('\n')}\n</conversation>\n\nWrite the summary of the conversation now.`;
    expectWhole(await answer(w.request([w.userText(prompt)], [])));
  });

  it('keep the progress mark in any output limit', async () => {
    const messages = [...(await history()), w.userText('Summarise the conversation.')];
    for (const maxOutputTokens of [20, 50, 100, 500]) {
      const text = await answer({ ...w.request(messages), maxOutputTokens });
      expect(text).toMatch(/Progress: Task [0-9a-f]{4}, step 3\/4 done$/);
      expect(text.length).toBeLessThanOrEqual(maxOutputTokens * 4);
    }
  });

  it('carry over what an earlier summary said', async () => {
    const earlier = await answer(w.request([...(await history()), w.userText('Summarise the conversation.')]));
    const messages = [
      w.userText(`[Compacted]\n\n${earlier}`, TASK),
      w.assistantText('One moment.'),
      w.userText('Summarise the conversation.'),
    ];
    expectWhole(await answer(w.request(messages)));
  });

  it('do not hold of a step that is only being prepared', async () => {
    const task = 'Read every file in docs';
    const played = await w.play(brain, new w.World({ 'docs/a.md': 'a' }), task);
    const text = await answer(w.request([...played.messages.slice(0, 3), w.userText('Summarise the conversation.')]));
    expect(text).toMatch(/Progress: Task [0-9a-f]{4}, step 1\/1, part 1$/);
  });

  it('are not written for what only speaks of them', async () => {
    const system =
      'You are an agent. When you finish, provide a short summary of the work. The context may be summarised.';
    const one = await brain.reply({
      ...w.request([w.userText('Read SUMMARY.md, then summarise the work in words')]),
      system,
    });
    expect(w.callsOf(one)).toEqual([{ name: 'read_file', input: { path: 'SUMMARY.md' } }]);
    const two = await brain.reply({ ...w.request([w.userText('hello')], []), system });
    expect(w.textOf(two)).toContain('stand-in');
    const three = await brain.reply(w.request([w.userText('Write SUMMARY.md with "a summary of the work"')]));
    expect(w.callsOf(three)[0]?.name).toBe('write_file');
  });
});

function lines(message: SimMessage): string {
  return message.parts
    .map((part) => {
      if (part.kind === 'text') return part.text;
      if (part.kind === 'call') return `${part.name}(${JSON.stringify(part.input)})`;
      return part.kind === 'result' ? part.text : '';
    })
    .join('\n');
}
