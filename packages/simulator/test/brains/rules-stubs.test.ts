import { describe, expect, it } from 'vitest';
import { addressesIn, hitsIn, isStub, readPage } from '../../src/brains/rules/stubs.ts';
import { furthest, marksIn } from '../../src/brains/rules/marks.ts';
import { firstExport, firstHeading } from '../../src/brains/rules/facts.ts';
import { lineCount, shellQuote, tagOf } from '../../src/brains/rules/text.ts';

const old = (text: string) => ({ text, isError: false, fresh: false });
const fresh = (text: string) => ({ text, isError: false, fresh: true });

describe('what stands in for a result', () => {
  it('is told from a text that only speaks of it', () => {
    expect(isStub(old('[Earlier tool result compacted] recall: c_0123456789abcdef'))).toBe(true);
    expect(isStub(old('line one\nrecall: c_0123456789abcdef'))).toBe(false);
    expect(isStub(fresh('recall: c_0123456789abcdef'))).toBe(false);
    expect(isStub(fresh('<persisted-output>\nrecall: c_0123456789abcdef\nPreview:\nx\n</persisted-output>'))).toBe(
      true,
    );
    expect(isStub(old('File unchanged since it was last read.'))).toBe(true);
  });

  it('names addresses, those for recall first, ranges never', () => {
    const text = 'c_1111111111111111 [snipped] recall: h_3-37_0123456789abcdef and recall: `c_2222222222222222`.';
    expect(addressesIn(text)).toEqual(['c_2222222222222222', 'c_1111111111111111']);
    expect(addressesIn('hit h_12.0_0123456789abcdef')).toEqual(['h_12.0_0123456789abcdef']);
    expect(hitsIn('2 hits\nc_1111111111111111 a\n  more of a\nc_2222222222222222 b').map((hit) => hit.text)).toEqual([
      'c_1111111111111111 a\n  more of a',
      'c_2222222222222222 b',
    ]);
  });

  it.each([
    ['characters', 'abc\nd', '\n(20 more characters; recall again with offset 5)', 5],
    ['characters, text ending in a line break', 'abc\n', '[more: continue with offset: 4]', 4],
    ['characters, a blank line between', 'abc', '\n\nTo go on call recall with offset=3.', 3],
    ['bytes', 'é\n€', '\n(more, next offset 6)', 6],
    ['code points', '😀😀', '\n(more, next offset 2)', 2],
    ['lines', 'a\nb\n', '(5 more lines; go on with offset 2)', 2],
  ])('gives pages exactly, offsets in %s', (...[, body, closing, next]) => {
    expect(readPage(body + closing, 0)).toEqual({ body, next });
  });

  it('takes a last page whole', () => {
    for (const text of ['', 'x', 'offset 12', 'a\n(offset: 5)', 'a\nnext offset 3']) {
      expect(readPage(text, 5)).toEqual({ body: text });
    }
  });
});

describe('marks', () => {
  it('are read back with all they say', () => {
    const text = 'Task ab12, step 7/20 done. Task ab12, step 8/20, try 2, part 3: x (from c_0123456789abcdef).';
    expect(
      marksIn(text).map(({ step, of, attempt, part, state, address }) => [step, of, attempt, part, state, address]),
    ).toEqual([
      [7, 20, 1, 0, 'settled', 'c_0123456789abcdef'],
      [8, 20, 2, 3, 'part', 'c_0123456789abcdef'],
    ]);
    expect(furthest(marksIn('Task ab12, step 9/20: a. Task ab12, step 3/20: b'))?.step).toBe(9);
    expect(furthest(marksIn('Task ab12, step 9/20: a. Task ab12, step 9/20, part 1: b'))?.state).toBe('called');
    expect(furthest(marksIn('Task ab12 done: 20 of 20 steps. Task ab12, step 9/20: a'))?.state).toBe('finished');
  });

  it('do not depend on white space', () => {
    expect(tagOf(' Read a,\n then b ')).toBe(tagOf('Read a, then b'));
    expect(tagOf('Read a')).toMatch(/^[0-9a-f]{4}$/);
  });
});

describe('facts', () => {
  it('count lines as readers do', () => {
    expect(['', 'a', 'a\n', 'a\n\n', '\n', 'a\nb'].map(lineCount)).toEqual([0, 1, 1, 2, 1, 2]);
  });

  it('find the first heading and export', () => {
    expect(firstHeading('a # b\n## C\r\n# D')).toBe('## C');
    expect(firstHeading('none')).toBeUndefined();
    expect(firstExport('export default 1;\nexport type T = 1;\nexport const a = 1;')).toBe('T');
    expect(firstExport('export async function f() {}')).toBeUndefined();
  });

  it('reach the shell as one word', () => {
    expect(shellQuote(`a'b $(c) \`d\` "e" \\`)).toBe(`'a'\\''b $(c) \`d\` "e" \\'`);
  });
});
