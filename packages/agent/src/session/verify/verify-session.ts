/**
 * Proves a session from its log and archive alone. Every request that was answered is built up again from the history and the ledger as they were:
 * it has to be what was sent, begin with the request before it unless an epoch came between, hold every entry exactly once (verbatim, replaced in
 * part, or covered by a range), and whatever is not verbatim has to come back, to the byte, by an address the ledger names.
 */
import type { Codec, Group, View } from '@holdover/engine';
import { ContextError, contentAddress } from '@holdover/engine';
import { createReplica, createSealer, type Replica, type Seal, verifyView } from '@holdover/engine/proof';
import { createHash } from 'node:crypto';
import { AgentError } from '../../errors.ts';
import { loadBranch } from '../read-log.ts';
import { LOG_VERSION, type SessionRecord } from '../records.ts';
import { codecFor } from '../session-codec.ts';
import { workspaceArchive } from '../workspace-archive.ts';
import { createPrefixProof } from './prefix.ts';
import { createRedemption } from './redemption.ts';
import type { VerifyFailure, VerifyReport } from './report.ts';

/** What of new groups may change bytes that were sent. `sentLength`: entries of the last request. */
function causesOf(groups: readonly Group[], sentLength: number): readonly string[] {
  return groups.flatMap((group): readonly string[] => {
    if (group.cause === 'undo' || group.cause === 'rewind') return [group.cause];
    if (!('edits' in group)) return [];
    if (group.cause !== 'arrival') return [group.cause];
    // A pin is promised for the next request, also where nothing unsent is there to hold it.
    const isPinned = group.edits.some((edit) => edit.kind === 'note' && edit.pin !== undefined && edit.at < sentLength);
    return isPinned ? ['pin'] : [];
  });
}

interface ProofOptions {
  readonly codec: Codec;
  readonly load: (address: string) => Promise<string | undefined>;
  /** Whether the log begins with another's messages and ledger. */
  readonly isFork: boolean;
}

class SessionProof {
  readonly #codec: Codec;
  readonly #replica: Replica;
  readonly #sealer: ReturnType<typeof createSealer>;
  readonly #prefix = createPrefixProof();
  readonly #redemption: ReturnType<typeof createRedemption>;
  readonly #failures: VerifyFailure[] = [];
  readonly #causes = new Set<string>();
  /** True in what a fork brought along. */
  #isInherited: boolean;
  #turns = 0;
  #sealedTurns = 0;
  #epochs = 0;
  #sentLength = 0;

  constructor({ codec, load, isFork }: ProofOptions) {
    this.#codec = codec;
    this.#replica = createReplica({ codec, load });
    this.#sealer = createSealer(codec);
    this.#redemption = createRedemption(load);
    this.#isInherited = isFork;
  }

  fail(failures: readonly Omit<VerifyFailure, 'turn'>[]): void {
    this.#failures.push(...failures.map((failure) => ({ turn: this.#turns, ...failure })));
  }

  async take(record: SessionRecord): Promise<void> {
    if (record.type === 'ledger') await this.#takeGroups(record);
    if (record.type === 'message') await this.#takeMessage(record);
    if (record.type === 'rewind') await this.#rewind(record.length);
    // A fork's own beginning ends with the state it took over; a session that was answered once has one.
    if (record.type === 'state') await this.#endInheritance();
  }

  async #takeGroups({ groups: stored }: Extract<SessionRecord, { type: 'ledger' }>): Promise<void> {
    const groups = await this.#replica.take(stored);
    for (const cause of causesOf(groups, this.#sentLength)) this.#causes.add(cause);
    this.fail(await this.#redemption.take(stored, groups));
  }

  async #takeMessage({ message, sent }: Extract<SessionRecord, { type: 'message' }>): Promise<void> {
    const isReply = this.#codec.decode(message).origin === 'model';
    if (isReply && !this.#isInherited) await this.#turn(sent);
    this.#replica.append(message);
  }

  async #rewind(length: number): Promise<void> {
    await this.#settle();
    this.#causes.add('rewind');
    this.#replica.rewind(length);
    this.#redemption.cut(length);
  }

  async #settle(): Promise<void> {
    this.fail(await this.#redemption.settle(this.#replica, this.#isInherited));
  }

  async #endInheritance(): Promise<void> {
    if (this.#isInherited) await this.#settle();
    this.#isInherited = false;
  }

  /** A request that was answered. */
  async #turn(seal: Seal | undefined): Promise<void> {
    this.#turns += 1;
    if (seal !== undefined) this.#sealedTurns += 1;
    await this.#settle();
    const { view, history } = this.#replica;
    this.#checkView(view);
    const digests = this.#sealer.digests(this.#replica.messages());
    // The replica's view grows in place.
    const sent = { view: { ...view, entries: [...view.entries] }, digests, historyLength: history.length, seal };
    if (this.#turns > 1 && this.#causes.size > 0) this.#epochs += 1;
    this.fail(this.#prefix.next(sent, this.#causes));
    this.#causes.clear();
    this.#sentLength = history.length;
  }

  #checkView(view: View): void {
    this.fail(verifyView(view, this.#replica.history).map((what) => ({ what })));
  }

  async end(): Promise<Omit<VerifyReport, 'sessionId' | 'format'>> {
    await this.#settle();
    const { entries } = this.#replica.view;
    this.#checkView(this.#replica.view);
    const covered = entries.reduce((sum, { range, from, to }) => sum + (range === undefined ? 0 : to - from), 0);
    const replaced = entries.filter(({ range, patches }) => range === undefined && patches !== undefined).length;
    return {
      turns: this.#turns,
      sealedTurns: this.#sealedTurns,
      epochs: this.#epochs,
      entries: { verbatim: this.#replica.history.length - covered - replaced, covered, replaced },
      addresses: this.#redemption.addresses,
      recoveredBytes: this.#redemption.recoveredBytes,
      churnTokens: this.#prefix.churnTokens,
      rewrittenTokens: this.#prefix.rewrittenTokens,
      failures: this.#failures,
    };
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What the archive of a workspace holds at an address, where it is what was put there. */
function loader(root: string): ProofOptions['load'] {
  const archive = workspaceArchive(root);
  return async (address) => {
    const text = await archive.get(address).catch(() => undefined);
    return text !== undefined && contentAddress(text, hash) === address ? text : undefined;
  };
}

export interface VerifyOptions {
  /** The log. */
  readonly path: string;
  /** The workspace whose archive goes with it. */
  readonly root: string;
}

async function walk(proof: SessionProof, records: readonly SessionRecord[]): Promise<void> {
  for (const [index, record] of records.entries()) {
    try {
      await proof.take(record);
    } catch (error) {
      if (!(error instanceof ContextError)) throw error;
      // What stands behind it has other positions: the proof ends here.
      proof.fail([{ what: `record ${index + 1} of ${records.length} cannot be read: ${error.message}` }]);
      return;
    }
  }
}

async function loadLog(path: string): ReturnType<typeof loadBranch> {
  return loadBranch(path, { mayBeForeign: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new AgentError('session_not_found', `there is no session log at ${path}`, { cause: error });
  });
}

/** Rejects with `session_not_found`, and with `session_unreadable` for a file without a header or in a format nobody knows; everything else is in the report. */
export async function verifySession({ path, root }: VerifyOptions): Promise<VerifyReport> {
  const { header, records, damage, version } = await loadLog(path);
  const codec = codecFor(header.provider);
  if (codec === undefined)
    throw new AgentError(
      'session_unreadable',
      `${path} is in the format ${JSON.stringify(header.provider.slice(0, 40))}, which this version does not know`,
    );
  const proof = new SessionProof({ codec, load: loader(root), isFork: header.forkedFrom !== undefined });
  proof.fail(damage.map((what) => ({ what })));
  if (version > LOG_VERSION)
    proof.fail([
      {
        what: `the log is of version ${version}, and this reads ${LOG_VERSION}: verify it with the version that wrote it`,
      },
    ]);
  await walk(proof, records);
  return { sessionId: header.sessionId, format: header.provider, ...(await proof.end()) };
}
