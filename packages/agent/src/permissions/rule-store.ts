/**
 * Rules the user had remembered, for a project or for one of its sessions. They are kept in the user's own configuration folder and never in the
 * workspace: a folder, or a session file in it, may come from somebody else, and nothing that comes with it may grant anything.
 */
import { createHash } from 'node:crypto';
import { realpath, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentError } from '../errors.ts';
import { type Lease, takeLease } from '../session/lease.ts';
import { makeFolder } from '../workspace/make-folder.ts';
import { type ReadRules, readRules, type RuleFile, writeRules } from './rule-file.ts';
import type { RememberedRule } from './rules.ts';

export type RuleScope = 'session' | 'project';

export interface RuleStore {
  /** Absolute real path of the folder all stores are in. */
  readonly folder: string;
  /** As this process last read or wrote them. */
  rules(scope: RuleScope): readonly RememberedRule[];
  /** Rejects with `rules_not_kept`; nothing has changed then. What other processes added meanwhile stays, and counts here from now on. */
  add(rule: RememberedRule, scope: RuleScope): Promise<void>;
  /** Takes rules of this text out of both scopes; false where there was none. Rejects with `rules_not_kept`. */
  remove(text: string): Promise<boolean>;
}

export interface RuleStoreOptions {
  /** The user's configuration folder of this program, such as `~/.config/holdover`. */
  readonly userFolder: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told about files that are damaged or not to be trusted: their rules do not count. */
  readonly onProblem: (message: string) => void;
}

/** How long another process may take to write its rule, milliseconds; it takes a few. */
const MAX_WAIT_MS = 5_000;
const POLL_MS = 15;

async function waitForLease(path: string): Promise<Lease> {
  for (let waitedMs = 0; waitedMs < MAX_WAIT_MS; waitedMs += POLL_MS) {
    const lease = await takeLease(path);
    if (lease !== undefined) return lease;
    await delay(POLL_MS);
  }
  throw new Error(`another process has held ${path} for ${MAX_WAIT_MS / 1_000} seconds`);
}

function isSame(one: RememberedRule, other: RememberedRule): boolean {
  return one.kind === other.kind && one.text === other.text && (one.isExact ?? false) === (other.isExact ?? false);
}

class Store implements RuleStore {
  readonly folder: string;
  readonly #options: RuleStoreOptions;
  readonly #path: string;
  #file: RuleFile;

  constructor(folder: string, path: string, { file, options }: { file: RuleFile; options: RuleStoreOptions }) {
    this.folder = folder;
    this.#path = path;
    this.#file = file;
    this.#options = options;
  }

  rules(scope: RuleScope): readonly RememberedRule[] {
    if (scope === 'project') return this.#file.project;
    return this.#file.sessions.get(this.#options.sessionId)?.rules ?? [];
  }

  async add(rule: RememberedRule, scope: RuleScope): Promise<void> {
    const more = (rules: readonly RememberedRule[]): readonly RememberedRule[] => [
      ...rules.filter((known) => !isSame(known, rule)),
      rule,
    ];
    await this.#change((file) => this.#mapped(file, (rules, its) => (its === scope ? more(rules) : rules)));
  }

  async remove(text: string): Promise<boolean> {
    let isFound = false;
    await this.#change((file) =>
      this.#mapped(file, (rules) => {
        const left = rules.filter((rule) => rule.text !== text);
        isFound ||= left.length < rules.length;
        return left;
      }),
    );
    return isFound;
  }

  #mapped(
    file: RuleFile,
    change: (rules: readonly RememberedRule[], scope: RuleScope) => readonly RememberedRule[],
  ): RuleFile {
    const { sessionId, now } = this.#options;
    const rules = change(file.sessions.get(sessionId)?.rules ?? [], 'session');
    const sessions = new Map([...file.sessions, [sessionId, { usedAtMs: now(), rules }]]);
    return { ...file, project: change(file.project, 'project'), sessions };
  }

  /** One process at a time reads, changes and writes: no rule is lost between two. */
  async #change(change: (file: RuleFile) => RuleFile): Promise<void> {
    try {
      const lease = await waitForLease(`${this.#path}.lease`);
      try {
        const next = change(await this.#current());
        await writeRules(this.#path, next);
        this.#file = next;
      } finally {
        await lease.release();
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new AgentError('rules_not_kept', `the rules remembered in ${this.#path} stay as they are: ${reason}`, {
        cause: error,
      });
    }
  }

  /** What the file holds now. A damaged one is set aside under another name, never written over. */
  async #current(): Promise<RuleFile> {
    const { workspace, onProblem, now } = this.#options;
    const found = await readRules(this.#path, workspace);
    if (found.kind === 'read') return found.file;
    if (found.kind === 'refused') throw new Error(found.reason);
    const aside = `${this.#path}.damaged-${now()}`;
    await rename(this.#path, aside);
    onProblem(`${found.reason}; it is now ${aside}, and a new one was begun`);
    return emptyFile(workspace);
  }
}

function emptyFile(workspace: string): RuleFile {
  return { workspace, project: [], sessions: new Map() };
}

function fileOf(found: ReadRules, { workspace, onProblem }: RuleStoreOptions): RuleFile {
  if (found.kind === 'read') return found.file;
  onProblem(`${found.reason}; the rules remembered in it do not count`);
  return emptyFile(workspace);
}

/** Makes the folder, owner-only, and reads the rules. Rejects with `rules_not_kept` where the folder cannot be made. */
export async function openRuleStore(options: RuleStoreOptions): Promise<RuleStore> {
  const wanted = join(options.userFolder, 'permissions');
  try {
    makeFolder(wanted);
    const folder = await realpath(wanted);
    const name = createHash('sha256').update(options.workspace).digest('hex').slice(0, 32);
    const path = join(folder, `${name}.json`);
    const file = fileOf(await readRules(path, options.workspace), options);
    return new Store(folder, path, { file, options });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AgentError('rules_not_kept', `rules cannot be remembered in ${wanted}: ${reason}`, { cause: error });
  }
}
