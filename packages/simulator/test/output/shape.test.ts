import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitDeltas } from '../../src/output/deltas.ts';
import { type ShapeOptions, shapeReply } from '../../src/output/shape.ts';

const options = (extra: Partial<ShapeOptions> = {}): ShapeOptions => ({
  limitTokens: 1000,
  limitStop: 'cap',
  countTokens: (text) => text.length,
  nextCallId: () => 'id',
  stopSequences: [],
  ...extra,
});

it('deltas joined are the text, whatever it is', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => splitDeltas(text).join('') === text));
  const odd = `${' '.repeat(5000)}x${'y'.repeat(5000)}\ud800`;
  expect(splitDeltas(odd).join('')).toBe(odd);
  expect(splitDeltas('one two three four')).toEqual(['one two three ', 'four']);
});

it('never bills more than the limit, and all of it when cut', () => {
  fc.assert(
    fc.property(fc.lorem({ maxCount: 30 }), fc.nat(200), (text, limitTokens) => {
      const shaped = shapeReply({ parts: [{ kind: 'text', text }] }, options({ limitTokens }));
      const isCut = text.length > limitTokens;
      expect(shaped.outputTokens).toBe(isCut ? limitTokens : text.length);
      expect(shaped.stop).toBe(isCut ? 'cap' : 'end');
    }),
  );
});

it('drops parts behind the cut', () => {
  const reply = {
    parts: [
      { kind: 'text', text: 'one two' },
      { kind: 'call', name: 'a', input: {} },
    ],
  } as const;
  expect(shapeReply(reply, options({ limitTokens: 8 })).parts).toEqual([{ kind: 'text', deltas: ['one two'] }]);
  expect(shapeReply(reply, options({ limitTokens: 5, limitStop: 'window' }))).toMatchObject({
    parts: [{ kind: 'text', deltas: ['one '] }],
    stop: 'window',
    outputTokens: 5,
  });
});

it('names thinking apart and derives the stop', () => {
  const shaped = shapeReply(
    {
      parts: [
        { kind: 'thinking', text: 'hmm' },
        { kind: 'call', name: 'a', input: {} },
      ],
    },
    options(),
  );
  expect(shaped).toMatchObject({ thinkingTokens: 3, outputTokens: 13, stop: 'calls' });
});
