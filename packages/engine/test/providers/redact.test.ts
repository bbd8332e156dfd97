import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactSecrets } from '../../src/providers/redact.ts';

/** Put together here, so that no scanner takes this file for a leak. */
const RANDOM = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${RANDOM}`;
const PEM = (body: string, end = true): string =>
  `-----BEGIN RSA PRIVATE${' '}KEY-----\n${body}\n${end ? `-----END RSA PRIVATE${' '}KEY-----` : ''}`;

describe('secrets', () => {
  it.each([
    [`key sk-ant-api03-${RANDOM}!`, 'key [redacted: anthropic key]!'],
    [`sk-proj-${RANDOM}`, '[redacted: openai key]'],
    [`sk-${RANDOM}`, '[redacted: openai key]'],
    [`ghp_${RANDOM}`, '[redacted: github token]'],
    [`github_pat_11${RANDOM}`, '[redacted: github token]'],
    [`"glpat-${RANDOM.slice(0, 20)}"`, '"[redacted: gitlab token]"'],
    [`xoxb-123456789012-${RANDOM}`, '[redacted: slack token]'],
    [`id ${'AKIA'}IOSFODNN7EXAMPLE.`, 'id [redacted: aws key].'],
    [`AIza${RANDOM.slice(0, 35)}`, '[redacted: google key]'],
    [`sk_${'live'}_${RANDOM}`, '[redacted: stripe key]'],
    [`//registry/:_authToken=npm_${RANDOM}`, '//registry/:_authToken=[redacted: npm token]'],
    [`jwt ${JWT} end`, 'jwt [redacted: jwt] end'],
    [`a\\nghp_${RANDOM}\\nb`, 'a\\n[redacted: github token]\\nb'],
    [`x\n${PEM('MIIEow\nIBAAK')}\ny`, 'x\n[redacted: private key]\ny'],
    [PEM('MIIEowIBAAK+/x=\nabc', false), '[redacted: private key]'],
    ['postgres://bob:hunter2@db:5432/x', 'postgres://[redacted: credentials]@db:5432/x'],
    ['https://u:p@ss@host/path', 'https://[redacted: credentials]@host/path'],
    [`Authorization: Bearer ${RANDOM}`, 'Authorization: Bearer [redacted: authorization]'],
    ['"authorization": "Basic dXNlcjpwYXNz1"', '"authorization": "Basic [redacted: authorization]"'],
    [`curl -H "Bearer ${RANDOM}"`, 'curl -H "Bearer [redacted: authorization]"'],
    ['DB_PASSWORD=hunter2', 'DB_PASSWORD=[redacted: password]'],
    ['password: "hunter2!x"', 'password: "[redacted: password]"'],
    ['{"api_key":"9f8e7d6c5b4a3210ff"}', '{"api_key":"[redacted: api key]"}'],
    ["secret = 'Zm9vYmFyMTIzNDU2Nzg5MA=='", "secret = '[redacted: secret]'"],
    ['TOKEN=Zm9vYmFyMTIzNDU2Nzg5MA== next', 'TOKEN=[redacted: token] next'],
    ['{\\"token\\": \\"a8s7d6f5g4h3j2k1\\"}', '{\\"token\\": \\"[redacted: token]\\"}'],
  ])('%s', (text, expected) => {
    expect(redactSecrets(text)).toEqual({ text: expected, count: 1 });
    expect(redactSecrets(expected)).toEqual({ text: expected, count: 0 });
  });

  it('are counted, however many', () => {
    const text = `ghp_${RANDOM} and ghp_${RANDOM}, password=abc123 ${JWT}`;
    expect(redactSecrets(text)).toEqual({
      text: '[redacted: github token] and [redacted: github token], password=[redacted: password] [redacted: jwt]',
      count: 4,
    });
  });
});

describe('look-alikes stay', () => {
  it.each([
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'commit 4a56e1e99c20da8b3a2f0c1d2e3f4a5b6c7d8e9f',
    '550e8400-e29b-41d4-a716-446655440000',
    'recall: c_0123456789abcdef',
    'token: c_0123456789abcdef',
    'h_3-17_0123456789abcdef',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'sk-learn-is-a-library-for-machine-learning',
    'the task-force met',
    'const token: string = next();',
    'password: process.env.DB_PASSWORD1',
    'password = getPassword1()',
    'token = "see chapter 12 of the manual"',
    'max_tokens: 128000, inputTokens=4096',
    'tokenizer: cl100k_base',
    'secret: true',
    'https://example.com:8080/a@b',
    'git@github.com:owner/repo.git',
    'Authorization: required',
    'eyJ is how JSON begins in base64: eyJhIjoxfQ',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'npm_config_cache=/tmp/npm_cache_1234567890',
    'the bearer of this letter',
    '"integrity": "sha512-9f8e7d6c5b4a32109f8e7d6c5b4a32109f8e7d6c5b4a3210=="',
  ])('%s', (text) => {
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });
});

describe('redaction', () => {
  const fragments = fc.constantFrom(
    `sk-ant-${RANDOM}`,
    `ghp_${RANDOM}`,
    JWT,
    'eyJ',
    'Authorization: ',
    'Bearer ',
    'token=',
    'password: "',
    '"',
    "'",
    '://',
    'u:p1@',
    '@',
    PEM('MII'),
    '-----BEGIN PRIVATE KEY-----',
    '-----END',
    '\\n',
    ' ',
    '\n',
    'a1b2c3d4e5f6g7h8',
    '[redacted: token]',
    '=',
    '日本🙂',
    '\ud83d',
  );

  it('changes nothing the second time', () => {
    const text = fc
      .array(fc.oneof(fragments, fc.string({ maxLength: 12 })), { maxLength: 12 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, (given) => {
        const once = redactSecrets(given);
        expect(redactSecrets(once.text)).toEqual({ text: once.text, count: 0 });
      }),
      { seed: 20_261_130, numRuns: 5_000 },
    );
  });

  // Where each hit read to the end of the text, this would take hours; it takes well under a second on an idle machine.
  it.each([
    'eyJ',
    'eyJa.eyJ',
    'token=',
    'token="token=',
    '://',
    '://a:b',
    '-----BEGIN PRIVATE KEY-----',
    'Authorization: ',
    'bearer ',
    'sk-ant-',
    'a',
    '-',
    'password:"a',
    '"',
    'gl',
    'x\\n',
  ])(
    'reads ten million characters of %j in a time that grows with them',
    (unit) => {
      const text = unit.repeat(Math.ceil(10_000_000 / unit.length));
      const started = performance.now();
      redactSecrets(text);
      expect(performance.now() - started).toBeLessThan(20_000);
    },
    60_000,
  );
});
