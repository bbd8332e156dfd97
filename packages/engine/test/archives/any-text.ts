import fc from 'fast-check';

/** Any string JavaScript can hold: lone surrogates, NUL, BOMs and replacement patterns included. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.nat(0xffff), { maxLength: 50 }).map((codes) => String.fromCharCode(...codes)),
  fc
    .array(fc.constantFrom('\ud800', '\udc00', '\u0000', '\ufeff', '\ufffd', '$&', '\r\n', '"', '\\', 'a'), {
      maxLength: 9,
    })
    .map((pieces) => pieces.join('')),
);
