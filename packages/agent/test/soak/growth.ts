/** How a session grows: what each turn added to its log, and how long its prepares took, summed up by tenths of the run. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes of records, by what they hold, and how many messages are among them. */
export interface Added {
  readonly messages: number;
  /** The messages themselves, as JSON. */
  readonly messageBytes: number;
  readonly ledgerBytes: number;
  /** All records, messages and ledger among them. */
  readonly logBytes: number;
}

const NOTHING: Added = { messages: 0, messageBytes: 0, ledgerBytes: 0, logBytes: 0 };

function sum(one: Added, other: Added): Added {
  return {
    messages: one.messages + other.messages,
    messageBytes: one.messageBytes + other.messageBytes,
    ledgerBytes: one.ledgerBytes + other.ledgerBytes,
    logBytes: one.logBytes + other.logBytes,
  };
}

function addedBy(line: string): Added {
  const { type, message } = JSON.parse(line) as { readonly type: string; readonly message?: object };
  const logBytes = Buffer.byteLength(line) + 1;
  if (message !== undefined)
    return { ...NOTHING, logBytes, messages: 1, messageBytes: Buffer.byteLength(JSON.stringify(message)) };
  return { ...NOTHING, logBytes, ledgerBytes: type === 'ledger' ? logBytes : 0 };
}

/** Reads what is new in a log. A log it has not seen was copied from another, or is new: it counts from where it stands. */
export class LogMeter {
  #path = '';
  #offset = 0;

  added(path: string): Added {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const from = path === this.#path ? this.#offset : size;
      [this.#path, this.#offset] = [path, size];
      const buffer = Buffer.alloc(size - from);
      readSync(file, buffer, 0, buffer.length, from);
      const lines = buffer.toString('utf8').split('\n');
      return lines.filter((line) => line !== '').reduce((total, line) => sum(total, addedBy(line)), NOTHING);
    } finally {
      closeSync(file);
    }
  }
}

/** A tenth of the turns. */
export interface Tenth extends Added {
  /** Median of `prepare`, milliseconds. */
  readonly prepareMs: number;
  /** Prepares in it. */
  readonly prepares: number;
  /** Of all that was measured in it, megabytes. */
  readonly rssMb: number;
  /** Messages of the history when it ended. */
  readonly historyMessages: number;
}

const TENTHS = 10;

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

interface Open {
  added: Added;
  readonly prepareMs: number[];
  rssMb: number;
  historyMessages: number;
}

export class Growth {
  readonly #turns: number;
  readonly #tenths: readonly Open[] = Array.from({ length: TENTHS }, () => ({
    added: NOTHING,
    prepareMs: [],
    rssMb: 0,
    historyMessages: 0,
  }));

  constructor(turns: number) {
    this.#turns = turns;
  }

  /** The tenth that `turn`, from 1, is in. */
  #at(turn: number): Open {
    const index = Math.min(TENTHS - 1, Math.floor(((turn - 1) * TENTHS) / this.#turns));
    return this.#tenths[index] as Open;
  }

  prepared(turn: number, ms: number): void {
    this.#at(turn).prepareMs.push(ms);
  }

  logged(turn: number, added: Added, historyMessages: number): void {
    const tenth = this.#at(turn);
    tenth.added = sum(tenth.added, added);
    tenth.historyMessages = historyMessages;
  }

  sampled(turn: number, rssMb: number): void {
    const tenth = this.#at(turn);
    tenth.rssMb = Math.max(tenth.rssMb, rssMb);
  }

  tenths(): readonly Tenth[] {
    return this.#tenths.map(({ added, prepareMs, rssMb, historyMessages }) => {
      return { ...added, prepareMs: median(prepareMs), prepares: prepareMs.length, rssMb, historyMessages };
    });
  }
}

/** What the tenths from `from` to `to`, not included, added. */
export function addedIn(tenths: readonly Tenth[], from = 0, to: number = TENTHS): Added {
  return tenths.slice(from, to).reduce<Added>(sum, NOTHING);
}

/** Bytes of the log beside the messages themselves, for each message. */
export function besideBytes({ logBytes, messageBytes, messages }: Added): number {
  return (logBytes - messageBytes) / Math.max(1, messages);
}

/** Bytes of the ledger for each message. */
export function ledgerBytes(added: Added): number {
  return added.ledgerBytes / Math.max(1, added.messages);
}
