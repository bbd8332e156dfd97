/** Takes secrets out of messages before they are first sent. A pure function of the message, so that one that is handed in again is known again. */
import type { Codec } from '../core/codec.ts';
import type { Wire } from '../core/entry.ts';
import { redactSecrets } from './redact.ts';

export interface RedactedMessage {
  /** The message itself where nothing was replaced. */
  readonly message: Wire;
  /** Secrets replaced in it. */
  readonly count: number;
}

/** What came of messages: they are not read twice, and a result says how much was replaced when it is handed in itself. */
const KNOWN = new WeakMap<Wire, RedactedMessage>();

interface Tally {
  count: number;
}

/** A JSON value with every text of it redacted; the same value where there is nothing to replace. */
function redactedValue(value: unknown, tally: Tally): unknown {
  if (typeof value === 'string') {
    const { text, count } = redactSecrets(value);
    tally.count += count;
    return count === 0 ? value : text;
  }
  if (typeof value !== 'object' || value === null) return value;
  const before = tally.count;
  const copy = Array.isArray(value)
    ? value.map((item: unknown) => redactedValue(item, tally))
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, redactedValue(member, tally)]));
  return tally.count === before ? value : copy;
}

/** Reads the message anew, whatever was known of it. */
function redactAnew(message: Wire, codec: Pick<Codec, 'decode'>): RedactedMessage {
  // What the model said comes from the provider, and its reasoning is bound to it.
  if (codec.decode(message).origin === 'model') return { message, count: 0 };
  const tally: Tally = { count: 0 };
  const kept = redactedValue(message, tally) as Wire;
  const redacted = { message: kept, count: tally.count };
  KNOWN.set(message, redacted);
  KNOWN.set(kept, redacted);
  return redacted;
}

/**
 * The message with `[redacted: kind]` for everything that looks like a secret, wherever in it; messages of the model stay as they are. Throws
 * `INVALID_REQUEST` for one that cannot be read. Messages are not to be changed in place afterwards.
 */
export function redactMessage(message: Wire, codec: Pick<Codec, 'decode'>): RedactedMessage {
  return KNOWN.get(message) ?? redactAnew(message, codec);
}

/** Newest messages of an array that are read anew each time, since callers who change messages in place change these. */
const READ_ANEW = 4;

/** All of a caller's messages. */
export function redactMessages(messages: readonly Wire[], codec: Pick<Codec, 'decode'>): readonly Wire[] {
  return messages.map((message, index) => {
    const isNewest = index >= messages.length - READ_ANEW;
    return (isNewest ? redactedAgain(message, codec) : redactMessage(message, codec)).message;
  });
}

/** Known results stay the objects they are; a caller's own message is read anew. */
function redactedAgain(message: Wire, codec: Pick<Codec, 'decode'>): RedactedMessage {
  const known = KNOWN.get(message);
  return known?.message === message && known.count > 0 ? known : redactAnew(message, codec);
}
