/** Whether everything the ledger took out of view comes back. */
import type { Edit, Group, StoredGroup } from '@holdover/engine';
import { isProved, type Redeemed, redeem, type Replica, unredeemed } from '@holdover/engine/proof';
import type { VerifyFailure } from './report.ts';

type Found = Omit<VerifyFailure, 'turn'>;
type Load = (address: string) => Promise<string | undefined>;

export interface Redemption {
  /** Remembers the edits of groups the log has just told of. Resolves to the texts of theirs that are lost. */
  take(stored: readonly StoredGroup[], groups: readonly Group[]): Promise<readonly Found[]>;
  /** Redeems what was taken since, over the history as it is. `isInherited`: edits of a fork's origin, some about messages it left out. */
  settle(replica: Replica, isInherited: boolean): Promise<readonly Found[]>;
  /** The history is cut to `length` entries. */
  cut(length: number): void;
  readonly addresses: number;
  readonly recoveredBytes: number;
}

interface Taken {
  readonly edit: Edit;
  /** As the log has it: an edit whose text is lost comes without. */
  readonly proof: string;
}

/** Addresses of the long texts that stand in view in place of what an edit took out. */
function textAddresses(group: StoredGroup): readonly string[] {
  if (!('edits' in group)) return [];
  return group.edits.flatMap((edit) => {
    const texts = edit.kind === 'range' ? edit.pieces : [edit.text];
    return texts.flatMap((text) => (typeof text !== 'string' && 'at' in text ? [text.at] : []));
  });
}

function startOf(edit: Edit): number {
  return edit.kind === 'range' ? edit.from : edit.at;
}

class Redeemer implements Redemption {
  readonly #load: Load;
  #taken: Taken[] = [];
  readonly #texts = new Map<string, number>();
  readonly #ranges = new Set<string>();
  /** Bytes of the history's entries that an address covers, by index; and how far ranges that begin somewhere reach. */
  readonly #entryBytes: number[] = [];
  readonly #reach = new Map<number, number>();
  #cutBytes = 0;

  constructor(load: Load) {
    this.#load = load;
  }

  async take(stored: readonly StoredGroup[], groups: readonly Group[]): Promise<readonly Found[]> {
    const failures: Found[] = [];
    for (const address of stored.flatMap(textAddresses)) {
      if ((await this.#text(address)) === undefined)
        failures.push({ address, what: 'the archive has lost the text that stands in view' });
    }
    groups.forEach((group, index) => {
      const kept = stored[index];
      if (!('edits' in group) || kept === undefined || !('edits' in kept)) return;
      group.edits.forEach((edit, place) => {
        this.#taken.push({ edit, proof: kept.edits[place]?.proof ?? '' });
      });
    });
    return failures;
  }

  async settle(replica: Replica, isInherited: boolean): Promise<readonly Found[]> {
    const failures: Found[] = [];
    for (const { edit, proof } of this.#taken) {
      if (isProved({ ...edit, proof }, replica.history)) failures.push(...(await this.#redeem(edit, replica)));
      else if (!isInherited)
        failures.push({
          entry: startOf(edit),
          what: `the proof of a ${edit.layer} edit does not match: these are not the messages it was made for`,
        });
    }
    this.#taken = [];
    return failures;
  }

  async #redeem(edit: Edit, { history }: Replica): Promise<readonly Found[]> {
    const entry = startOf(edit);
    const failures: Found[] = [];
    const given: Redeemed[] = [];
    for (const address of edit.addresses) {
      const redeemed = await redeem(address, { history, load: (at) => this.#text(at) });
      if (redeemed === undefined)
        failures.push({ entry, address, what: `nothing is found there that a ${edit.layer} edit put away` });
      else given.push(redeemed);
      if (redeemed?.kind === 'entries') this.#noteEntries(address, redeemed, history);
    }
    if (failures.length > 0) return failures;
    const address = edit.addresses[0];
    return unredeemed(edit, given, history).map((missing) => ({
      entry: missing,
      ...(address === undefined ? {} : { address }),
      what: `a ${edit.layer} edit took it out, and no address of the edit gives it back`,
    }));
  }

  async #text(address: string): Promise<string | undefined> {
    const text = await this.#load(address);
    if (text !== undefined && !this.#texts.has(address)) this.#texts.set(address, Buffer.byteLength(text));
    return text;
  }

  #noteEntries(
    address: string,
    range: { readonly from: number; readonly to: number },
    history: Replica['history'],
  ): void {
    this.#ranges.add(address);
    for (let index = Math.max(range.from, this.#reach.get(range.from) ?? 0); index < range.to; index += 1)
      this.#entryBytes[index] ??= Buffer.byteLength(JSON.stringify(history.at(index).message));
    this.#reach.set(range.from, Math.max(range.to, this.#reach.get(range.from) ?? 0));
  }

  cut(length: number): void {
    this.#cutBytes += sum(this.#entryBytes.slice(length));
    this.#entryBytes.length = Math.min(length, this.#entryBytes.length);
    this.#reach.clear();
  }

  get addresses(): number {
    return this.#texts.size + this.#ranges.size;
  }

  get recoveredBytes(): number {
    return sum([...this.#texts.values()]) + sum(this.#entryBytes) + this.#cutBytes;
  }
}

/** Of a list with holes, too. */
function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function createRedemption(load: Load): Redemption {
  return new Redeemer(load);
}
