/**
 * Takes secrets out of text that leaves a session. Each sweep looks for short literal beginnings and reads on from there, never over the same
 * characters twice, so hostile text costs no more than any other. What is replaced cannot match again: redacting twice changes nothing more.
 */

export interface Redacted {
  readonly text: string;
  /** How many secrets were replaced. */
  readonly count: number;
}

/** What stands at a hit: a secret from `from` to `to`, or nothing as far as `to`. */
interface Finding {
  readonly kind?: string | undefined;
  readonly from?: number;
  readonly to: number;
}

interface Sweep {
  /** Global, without a quantifier that has no limit. */
  readonly hit: RegExp;
  readonly read: (text: string, match: RegExpExecArray) => Finding;
}

/** The characters a sticky pattern matches at `at`. */
function run(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

const ATOM = /[A-Za-z0-9_-]*/y;
const CREDENTIAL = /[A-Za-z0-9._~+/=-]*/y;
const AUTHORITY = /[^/?#\s"'<>`\\]*/y;
const BARE_VALUE = /[^\s"'`,;&|<>(){}[\]=:\\]*/y;
const QUOTED_VALUE = /[^\s"'`\\]*/y;
const KEY_BODY = /[A-Za-z0-9+/=\s\\]*/y;

const MIN_PASSWORD_CHARS = 6;
const MIN_TOKEN_CHARS = 12;

/** Bits a character of a token carries at least; words and counters carry less. */
const MIN_ENTROPY_BITS = 3;

/** As much of a value as is judged. */
const JUDGED_CHARS = 256;

function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

function hasBoth(text: string): boolean {
  return /[0-9]/.test(text) && /[A-Za-z]/.test(text);
}

function isRandom(text: string, minChars = MIN_TOKEN_CHARS): boolean {
  const judged = text.slice(0, JUDGED_CHARS);
  return judged.length >= minChars && hasBoth(judged) && entropyBits(judged) >= MIN_ENTROPY_BITS;
}

interface Shape {
  readonly prefix: RegExp;
  readonly kind: string;
  /** Characters of the whole, prefix included. */
  readonly minChars: number;
  readonly maxChars?: number;
}

/** The shapes vendors give their keys, the narrower first. */
const SHAPES: readonly Shape[] = [
  { prefix: /^sk-ant-/, kind: 'anthropic key', minChars: 24 },
  { prefix: /^sk-/, kind: 'openai key', minChars: 23 },
  { prefix: /^github_pat_/, kind: 'github token', minChars: 30 },
  { prefix: /^gh[opusr]_/, kind: 'github token', minChars: 34 },
  { prefix: /^gl[a-z]{2,5}-/, kind: 'gitlab token', minChars: 24 },
  { prefix: /^xox[abeoprs]-/, kind: 'slack token', minChars: 16 },
  { prefix: /^xapp-/, kind: 'slack token', minChars: 20 },
  { prefix: /^(?:AKIA|ASIA)[A-Z0-9]{16}$/, kind: 'aws key', minChars: 20, maxChars: 20 },
  { prefix: /^AIza/, kind: 'google key', minChars: 39, maxChars: 39 },
  { prefix: /^GOCSPX-/, kind: 'google key', minChars: 30 },
  { prefix: /^[rs]k_(?:live|test)_/, kind: 'stripe key', minChars: 24 },
  { prefix: /^whsec_/, kind: 'stripe key', minChars: 24 },
  { prefix: /^npm_/, kind: 'npm token', minChars: 40, maxChars: 40 },
];

/** One letter of an escape in JSON, such as the `n` of a line break, is no part of the word behind it. */
function isBorder(text: string, at: number): boolean {
  if (!/[A-Za-z0-9_-]/.test(text[at - 1] ?? ' ')) return true;
  return text[at - 2] === '\\' && /[nrt]/.test(text[at - 1] ?? '');
}

function shapeOf(atom: string): string | undefined {
  const shape = SHAPES.find(
    ({ prefix, minChars, maxChars = Number.POSITIVE_INFINITY }) =>
      atom.length >= minChars && atom.length <= maxChars && prefix.test(atom.slice(0, 64)),
  );
  return shape !== undefined && hasBoth(atom) ? shape.kind : undefined;
}

/** Header, payload and signature, each begun as JSON begins in base64. */
function tokenEnd(text: string, header: string, from: number): number | undefined {
  const at = from + header.length;
  if (header.length < 10 || text[at] !== '.' || !text.startsWith('eyJ', at + 1)) return undefined;
  const payload = run(ATOM, text, at + 1);
  const signatureAt = at + 1 + payload.length;
  const signature = text[signatureAt] === '.' ? run(ATOM, text, signatureAt + 1) : '';
  return signature.length >= 10 ? signatureAt + 1 + signature.length : undefined;
}

const KEYS: Sweep = {
  hit: /sk-|gh[opusr]_|github_pat_|gl[a-z]{2,5}-|xox[abeoprs]-|xapp-|A[KS]IA|AIza|GOCSPX-|[rs]k_|whsec_|npm_|eyJ/g,
  read(text, { index, 0: prefix }) {
    if (!isBorder(text, index)) return { to: index + prefix.length };
    const atom = run(ATOM, text, index);
    const end = prefix === 'eyJ' ? tokenEnd(text, atom, index) : undefined;
    if (end !== undefined) return { kind: 'jwt', from: index, to: end };
    return { kind: shapeOf(atom), from: index, to: index + Math.max(atom.length, prefix.length) };
  },
};

/** A private key from its first line to its last; one cut short, as far as it goes. */
function pemSweep(): Sweep {
  let hasEnd = true;
  return {
    hit: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g,
    read(text, { index, 0: first }) {
      const body = index + first.length;
      const end = hasEnd ? text.indexOf('-----END', body) : -1;
      hasEnd = end >= 0;
      const close = hasEnd ? text.indexOf('-----', end + 8) : -1;
      const isClosed = close >= 0 && close - end < 60;
      return { kind: 'private key', from: index, to: isClosed ? close + 5 : body + run(KEY_BODY, text, body).length };
    },
  };
}

const URLS: Sweep = {
  hit: /:\/\//g,
  read(text, { index }) {
    const from = index + 3;
    const authority = run(AUTHORITY, text, from);
    const at = authority.lastIndexOf('@');
    const isSecret = at > 0 && authority.slice(0, at).includes(':') && authority[at - 1] !== ':';
    return isSecret ? { kind: 'credentials', from, to: from + at } : { to: from + authority.length };
  },
};

const HEADERS: Sweep = {
  hit: /(?:authorization["'\\]{0,2}\s{0,3}[:=]\s{0,3}["'\\]{0,2}(?:(?:bearer|basic|token|digest|apikey)\s{1,3})?)|(?:bearer\s{1,3})/gi,
  read(text, { index, 0: head }) {
    const from = index + head.length;
    const value = run(CREDENTIAL, text, from);
    const isNamed = /[:=]/.test(head) && /[a-z]\s+$/i.test(head);
    const isSecret = isNamed ? value.length >= 20 || (value.length >= 8 && hasBoth(value)) : isRandom(value, 16);
    return { kind: isSecret ? 'authorization' : undefined, from, to: from + value.length };
  },
};

/** Values that stand for a secret and are none: addresses of the archive, variables, paths. */
const NO_SECRET = /^(?:[ch]_[0-9a-f-]|[$%~/.]|process\.|os\.|env\.)/i;

function isSecretValue(value: string, isPassword: boolean): boolean {
  if (NO_SECRET.test(value)) return false;
  if (!isPassword) return isRandom(value);
  return value.length >= MIN_PASSWORD_CHARS && hasBoth(value.slice(0, JUDGED_CHARS));
}

const ASSIGNMENTS: Sweep = {
  hit: /(passw(?:or)?d|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|credential)["'\\]{0,2}\s{0,3}(?:[:=]|=>|:=)\s{0,3}(\\?["'`])?/gi,
  read(text, { index, 0: head, 1: name = '', 2: quote }) {
    const from = index + head.length;
    const value = run(quote === undefined ? BARE_VALUE : QUOTED_VALUE, text, from);
    const end = from + value.length;
    const padding = quote === undefined ? run(/={0,2}/y, text, end).length : 0;
    // A call gives the secret, it is not one; a text with blanks in quotes is prose.
    const next = text[end] ?? '';
    const isValue = quote === undefined ? next !== '(' : !/\s/.test(next);
    const isPassword = /^p/i.test(name) && !/^private/i.test(name);
    const isSecret = isValue && isSecretValue(value, isPassword);
    return {
      kind: isSecret ? name.toLowerCase().replaceAll(/[_-]/g, ' ') : undefined,
      from,
      to: end + (isSecret ? padding : 0),
    };
  },
};

function swept({ text, count }: Redacted, { hit, read }: Sweep): Redacted {
  const pieces: string[] = [];
  let done = 0;
  let found = 0;
  hit.lastIndex = 0;
  for (let match = hit.exec(text); match !== null; match = hit.exec(text)) {
    const { kind, from = 0, to } = read(text, match);
    hit.lastIndex = Math.max(to, match.index + 1);
    if (kind === undefined) continue;
    pieces.push(text.slice(done, from), `[redacted: ${kind}]`);
    done = to;
    found += 1;
  }
  return found === 0 ? { text, count } : { text: pieces.join('') + text.slice(done), count: count + found };
}

/**
 * Replaces what looks like a secret by `[redacted: kind]`: keys of known vendors, JWTs, private keys, credentials in headers and URLs, and values
 * assigned to names like `password`. Digests, UUIDs, pictures and the archive's addresses stay. A secret of no known shape with no name is not found.
 */
export function redactSecrets(text: string): Redacted {
  return [pemSweep(), URLS, HEADERS, KEYS, ASSIGNMENTS].reduce(swept, { text, count: 0 });
}
