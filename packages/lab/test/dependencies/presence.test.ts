import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Presence, StringIndex } from '../../src/dependencies/presence.ts';

it('knows what each prompt contains, whatever was shown before', () => {
  const strings = ['aa', 'ab', 'b'];
  const texts = ['aab', 'b', 'aa', 'c', ''];
  const blocks = texts.map((text, id) => ({ id, tokens: 1, text }));
  const prompt = fc.array(fc.constantFrom(...blocks), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(prompt, { maxLength: 6 }), (prompts) => {
      const presence = new Presence(new StringIndex(strings));
      for (const shown of prompts) {
        presence.show(shown);
        const expected = strings.map((string) => shown.some(({ text }) => text.includes(string)));
        expect(strings.map((_, index) => presence.has(index))).toEqual(expected);
      }
    }),
  );
});
