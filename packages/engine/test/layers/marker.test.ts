/** The texts that stand where something was taken out, letter by letter: models learn them, and hosts show them. */
import { describe, expect, it } from 'vitest';
import {
  cappedText,
  headOf,
  mediaMarker,
  microMarker,
  olderMarker,
  persistedMarker,
  shapedMarker,
  snipMarker,
  tailOf,
  unchangedMarker,
} from '../../src/core/layers/marker.ts';

describe('a marker', () => {
  it('names its address and what is missing', () => {
    expect(microMarker('s_1')).toBe('[Earlier tool result compacted. Re-run if needed.] recall: s_1');
    expect(snipMarker(4, 'h_1')).toBe('[snipped 4 messages from conversation middle] recall: h_1');
    expect(olderMarker(1, 'h_1')).toBe('[1 older message of the user left out too] recall: h_1');
    expect(olderMarker(2, 'h_1')).toBe('[2 older messages of the user left out too] recall: h_1');
    expect(mediaMarker('image/png', 's_1')).toBe('[image/png left out, recall: s_1]');
    expect(unchangedMarker(7, 'lines 1 to 2 of that', 's_1')).toBe(
      '<persisted-output>\nUnchanged: the same 7 characters as lines 1 to 2 of that, recall: s_1\n</persisted-output>',
    );
    expect(shapedMarker({ chars: 9, what: 'An outline', missing: '3 lines', body: 'x' }, 's_1')).toBe(
      '<persisted-output>\nFull output: 9 characters, recall: s_1\nAn outline, 3 lines left out:\nx\n</persisted-output>',
    );
  });

  it('counts the pictures beside a text', () => {
    const marker = (pictures: number): string => persistedMarker({ text: '0123456789', pictures }, 's_1', 4);
    expect(marker(0)).toBe(
      '<persisted-output>\nFull output: 10 characters, recall: s_1\nPreview, 6 characters left out:\n0123\n</persisted-output>',
    );
    expect(marker(1)).toContain(
      '10 characters and 1 picture, recall: s_1\nPreview, 6 characters and 1 picture left out',
    );
    expect(marker(2)).toContain('10 characters and 2 pictures, recall');
  });
});

describe('a text that is cut', () => {
  it('keeps its head and its tail, the odd character in front', () => {
    expect(cappedText('abcdefghij', 's_1', 5)).toBe('abc\n[5 characters left out here, recall: s_1]\nij');
  });

  it('is never cut through a pair', () => {
    const text = 'a🙂b🙂';
    expect([1, 2, 3, 6, 9].map((chars) => headOf(text, chars))).toEqual(['a', 'a', 'a🙂', text, text]);
    expect([1, 2, 3, 5, 6].map((chars) => tailOf(text, chars))).toEqual(['', '🙂', 'b🙂', '🙂b🙂', text]);
    expect(headOf('\ud7ffx', 1)).toBe('\ud7ff');
    expect(headOf('\udc00x', 1)).toBe('\udc00');
    expect(tailOf('x\ue000', 1)).toBe('\ue000');
    expect(tailOf('x\udbff', 1)).toBe('\udbff');
  });
});
