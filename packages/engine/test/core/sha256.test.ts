import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/core/sha256.ts';

const native = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

describe('sha256Hex', () => {
  it('gives the published vectors (FIPS 180-4 examples)', () => {
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq')).toBe(
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    );
    expect(sha256Hex('a'.repeat(1_000_000))).toBe('cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0');
  });

  it('pads every length around the block borders as the native hash does', () => {
    for (let length = 0; length <= 260; length++) {
      const text = 'x'.repeat(length);
      expect(sha256Hex(text)).toBe(native(text));
    }
  });

  it('equals the native hash on every well-formed string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(sha256Hex(text)).toBe(native(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('handles four-byte characters across block borders', () => {
    const text = `${'é'.repeat(31)}🙂${'漢'.repeat(100)}\u0000$&`;
    expect(sha256Hex(text)).toBe(native(text));
  });
});
