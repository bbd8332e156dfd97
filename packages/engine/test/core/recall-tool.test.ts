import { describe, expect, it } from 'vitest';
import { recallTool } from '../../src/core/recall-tool.ts';
import { TestSession } from '../golden/session.ts';

const ORIGINAL = `line one\n${'0123456789'.repeat(60)}\nthe needle\n`;

async function session(): Promise<{ readonly session: TestSession; readonly address: string }> {
  const made = new TestSession().user('go').round(ORIGINAL).round('b').round('c').round('d');
  await made.send();
  return { session: made, address: /c_[0-9a-f]{16}/.exec(JSON.stringify(made.context.groups()))?.[0] ?? '' };
}

describe('the recall tool', () => {
  it('describes itself as providers take it', () => {
    const tool = recallTool(new TestSession().context);
    expect(tool.name).toBe('recall');
    expect(Object.keys(tool.inputSchema['properties'] as object)).toEqual(['address', 'query', 'offset']);
    expect(recallTool(new TestSession().context, { name: 'get_back' }).name).toBe('get_back');
  });

  it('gives the exact original by its address', async () => {
    const { session: made, address } = await session();
    expect((await recallTool(made.context).run({ address, query: '' })).text).toBe(ORIGINAL);
  });

  it('gives long ones page by page', async () => {
    const { session: made, address } = await session();
    const tool = recallTool(made.context, { pageChars: 300 });
    expect((await tool.run({ address })).text).toBe(
      `${ORIGINAL.slice(0, 300)}\n(page 1 of 3, characters 0 to 300 of 621; for more, recall again with offset 300)`,
    );
    expect((await tool.run({ address, offset: 300 })).text).toBe(
      `${ORIGINAL.slice(300, 600)}\n(page 2 of 3, characters 300 to 600 of 621; for more, recall again with offset 600)`,
    );
    expect((await tool.run({ address, offset: '600' })).text).toBe(ORIGINAL.slice(600));
    expect((await tool.run({ address, offset: 621 })).text).toBe(
      'recall: the original has 621 characters, and nothing is behind offset 621',
    );
  });

  it('never gives half a character', async () => {
    const text = '👍'.repeat(300);
    const made = new TestSession().user('go').round(text).round('b').round('c').round('d');
    await made.send();
    const address = /c_[0-9a-f]{16}/.exec(JSON.stringify(made.context.groups()))?.[0] ?? '';
    const tool = recallTool(made.context, { pageChars: 201 });
    expect((await tool.run({ address })).text).toBe(
      `${'👍'.repeat(100)}\n(page 1 of 3, characters 0 to 200 of 600; for more, recall again with offset 200)`,
    );
    expect((await tool.run({ address, offset: 201 })).text).toMatch(
      /^(?:👍){100}\n\(page 1 of 3, characters 200 to 400 of 600; for more/u,
    );
  });

  it('finds addresses by text', async () => {
    const { session: made, address } = await session();
    const { text: found } = await recallTool(made.context).run({ query: 'NEEDLE' });
    expect(found).toMatch(
      /^recall: h_2\.0_[0-9a-f]{16} \(message 2, result of bash \{"command":"step 1"\}; lines 1-3 of 4, from offset 0\)\nline one\n0123456789[0-9]+…\nthe needle$/,
    );
    expect((await recallTool(made.context).run({ query: 'hay' })).text).toBe(
      'Nothing outside the context contains "hay".',
    );
    expect(address).not.toBe('');
  });

  it('tells the model what it got wrong', async () => {
    const tool = recallTool(new TestSession().user('go').context);
    for (const input of [{}, undefined, 'c_0', { address: ' ', query: 7 }])
      expect(await tool.run(input)).toEqual({ text: 'recall: give an address or a query', isError: true });
    expect((await tool.run({ address: 'c_0000000000000000' })).text).toBe(
      'recall: "c_0000000000000000" is not an address this session issued; copy one whole from a marker, or search by text',
    );
  });

  it('takes pages that hold something', () => {
    expect(() => recallTool(new TestSession().context, { pageChars: 10 })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});
