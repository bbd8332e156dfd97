import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentAddress, isContentAddress, isWellFormed } from '../../src/core/archive.ts';
import { sha256Hex } from '../../src/core/sha256.ts';

const anyText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0xd800, 0xdc00, 0xdfff, 0x61)), { maxLength: 20 })
  .map((codes) => String.fromCharCode(...codes));

describe('contentAddress', () => {
  it('is the first 16 hex digits of the SHA-256 of a well-formed text', () => {
    expect(contentAddress('abc', sha256Hex)).toBe('c_ba7816bf8f01cfea');
    expect(contentAddress('', sha256Hex)).toBe('c_e3b0c44298fc1c14');
  });

  it('hashes well-formed strings only, and never the same one for two texts', () => {
    const texts = new Map<string, string>();
    const remember = (text: string) => (hashed: string) => {
      expect(isWellFormed(hashed)).toBe(true);
      expect(texts.get(hashed) ?? text).toBe(text);
      texts.set(hashed, text);
      return sha256Hex(hashed);
    };
    const escaped = anyText.map((text) => `holdover:json-string:${JSON.stringify(text)}`);
    fc.assert(
      fc.property(fc.oneof(anyText, escaped), (text) => {
        expect(isContentAddress(contentAddress(text, remember(text)))).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it('keeps an ill-formed text apart from the text that spells its hashed form', () => {
    const address = contentAddress('a\ud800', sha256Hex);
    expect(contentAddress('holdover:json-string:"a\\ud800"', sha256Hex)).not.toBe(address);
    expect(contentAddress('a\ufffd', sha256Hex)).not.toBe(address);
  });
});

describe('isContentAddress', () => {
  it.each([
    ['c_0123456789abcdef', true],
    ['c_0123456789abcdef\n', false],
    ['C_0123456789abcdef', false],
    ['c_0123456789ABCDEF', false],
    ['h_0-5_0123456789abcdef', false],
    ['c_../../etc/passwd', false],
    ['', false],
  ])('%j: %s', (value, expected) => {
    expect(isContentAddress(value)).toBe(expected);
  });
});

describe('isWellFormed', () => {
  it('is true exactly where UTF-8 can hold the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(isWellFormed(text)).toBe(Buffer.from(text, 'utf8').toString('utf8') === text);
      }),
    );
  });

  it('does without the native method', () => {
    const text = Object.assign(Object('a\ud800') as object, { isWellFormed: undefined }) as unknown as string;
    expect(isWellFormed(text)).toBe(false);
  });
});

it('gives the same addresses with the plain digest as with the native one', () => {
  const native = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
  fc.assert(
    fc.property(anyText, (text) => {
      expect(contentAddress(text, sha256Hex)).toBe(contentAddress(text, native));
    }),
  );
});
