import { describe, expect, it } from 'vitest';
import type { SimMessage } from '../../src/brain.ts';
import { createRulesBrain } from '../../src/brains/rules.ts';
import * as w from './rules-world.ts';

interface Answer {
  readonly text: string;
  readonly isError?: boolean;
}

/** What the brain says when the first call of the task is answered so. */
async function remarkOn(task: string, { text, isError = false }: Answer): Promise<string> {
  const brain = createRulesBrain({ verbosity: 'long' });
  const asked = await brain.reply(w.request([w.userText(task)]));
  const parts = asked.parts.map((part) => (part.kind === 'call' ? { ...part, id: 'one' } : part));
  const answer: SimMessage = { role: 'user', parts: [{ kind: 'result', callId: 'one', text, isError }] };
  return w.textOf(await brain.reply(w.request([w.userText(task), { role: 'assistant', parts }, answer])));
}

describe('a remark on a result', () => {
  it.each(['52133 characters', '52133 characters and 2 pictures'])(
    'gives the size the marker states and no longer quotes <persisted-output>: %s',
    async (size) => {
      const text = `<persisted-output>\nFull output: ${size}, recall: c_0123456789abcdef\nPreview, 9 characters left out:\none\ntwo\n</persisted-output>`;
      const said = await remarkOn('Read big.txt', { text });
      expect(said).toContain(`read_file big.txt gave ${size},`);
      expect(said).not.toMatch(/persisted|\d lines|Preview/);
    },
  );

  it('quotes the preview of a failure that was put away, not its marker', async () => {
    const text =
      '<persisted-output>\nFull output: 9000 characters, recall: c_0123456789abcdef\nPreview, 8990 characters left out:\nnpm ERR!\n</persisted-output>';
    expect(await remarkOn('Run `npm test`', { text, isError: true })).toContain('failed: "npm ERR!"');
  });

  it.each([
    ['Run `true`', '(no output)', 'bash true printed nothing.'],
    ['Search for "x"', '(no matches)', 'grep x found nothing.'],
    ['Read a.md', '(empty file)', 'read_file a.md gave an empty file.'],
  ])('no longer quotes what stands for an empty answer: %s', async (task, text, expected) => {
    const said = await remarkOn(task, { text });
    expect(said).toContain(expected);
    expect(said).not.toContain('1 line');
    expect(said).not.toContain(text);
  });

  it('quotes the exit code where a failed command printed nothing', async () => {
    const said = await remarkOn('Run `false`', { text: '(no output)\nexit code 1', isError: true });
    expect(said).toContain('failed: "exit code 1"');
  });

  it('does not count "(N more lines)" among the lines of the file', async () => {
    const said = await remarkOn('Read the first 2 lines of a.md', { text: 'one\ntwo\n(40 more lines)' });
    expect(said).toContain('2 lines');
    expect(said).not.toContain('3 lines');
    expect(said).not.toContain('more lines');
    expect(await remarkOn('Read a.md', { text: 'one\ntwo\n(40 more lines)' })).toContain('3 lines');
  });

  it.each(['Read the first 1 lines of a.md', 'Read the first 1 line of a.md', 'Read the first line of a.md'])(
    'no longer says "the first 1 lines": %s',
    async (task) => {
      const reply = await createRulesBrain().reply(w.request([w.userText(task)]));
      expect(w.textOf(reply)).toContain('read the first line of `a.md`');
      expect(w.callsOf(reply)).toEqual([{ name: 'read_file', input: { path: 'a.md', limit: 1 } }]);
    },
  );

  it('quotes a refusal up to the rule that would allow the call', async () => {
    const rule = 'bash(npm run build:all -- --mode production)';
    const text = `bash was not run: no rule allows it, and nobody can be asked. A rule that would allow it: ${rule}`;
    expect(await remarkOn('Run `npm run build:all -- --mode production`', { text, isError: true })).toContain(
      `was refused: "${text}"`,
    );
    const long = `bash was not run: ${'é'.repeat(400)}`;
    expect(await remarkOn('Run `x`', { text: long, isError: true })).toContain(`"${long.slice(0, 300)}…"`);
  });
});
