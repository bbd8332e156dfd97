/** The file of one workspace's remembered rules: read with care, written whole. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import * as v from 'valibot';
import { foreignReason } from '../session/owner.ts';
import type { RememberedRule } from './rules.ts';

export const RULE_FILE_VERSION = 1;

/** Sessions whose rules are kept; those used longest ago are forgotten. */
const MAX_SESSIONS = 50;

export interface SessionRules {
  readonly usedAtMs: number;
  readonly rules: readonly RememberedRule[];
}

export interface RuleFile {
  /** The real path the rules are about. */
  readonly workspace: string;
  readonly project: readonly RememberedRule[];
  readonly sessions: ReadonlyMap<string, SessionRules>;
}

/** `damaged`: nothing in it counts, and it is set aside before a new one is written. `refused`: it is left as it is. */
export type ReadRules =
  | { readonly kind: 'read'; readonly file: RuleFile }
  | { readonly kind: 'damaged' | 'refused'; readonly reason: string };

const ruleSchema = v.object({
  kind: v.picklist(['allow', 'deny', 'ask']),
  text: v.string(),
  isExact: v.optional(v.boolean(), false),
});
const fileSchema = v.object({
  v: v.literal(RULE_FILE_VERSION),
  workspace: v.string(),
  project: v.array(ruleSchema),
  sessions: v.array(v.object({ id: v.string(), usedAtMs: v.number(), rules: v.array(ruleSchema) })),
});

function parse(text: string, path: string, workspace: string): ReadRules {
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch {
    return { kind: 'damaged', reason: `${path} is not JSON` };
  }
  const version = (value as { v?: unknown } | null)?.v;
  if (typeof version === 'number' && version > RULE_FILE_VERSION)
    return { kind: 'refused', reason: `${path} was written by a newer version (${version})` };
  const result = v.safeParse(fileSchema, value);
  if (!result.success) return { kind: 'damaged', reason: `${path} is no file of remembered rules` };
  const { project, sessions, ...rest } = result.output;
  if (rest.workspace !== workspace) return { kind: 'damaged', reason: `${path} is about another folder` };
  return {
    kind: 'read',
    file: { workspace, project, sessions: new Map(sessions.map(({ id, ...session }) => [id, session])) },
  };
}

/** Never rejects. A file that is not there is an empty one. */
export async function readRules(path: string, workspace: string): Promise<ReadRules> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      const reason = stats.isFile() ? foreignReason(path, stats) : `${path} is not a file`;
      if (reason !== undefined) return { kind: 'refused', reason };
      return parse(await file.readFile('utf8'), path, workspace);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { kind: 'read', file: { workspace, project: [], sessions: new Map() } };
    return { kind: 'refused', reason: `${path} cannot be read (${code})` };
  }
}

/** Written aside, synced and renamed, owner-only. */
export async function writeRules(path: string, { workspace, project, sessions }: RuleFile): Promise<void> {
  const kept = [...sessions]
    .filter(([, { rules }]) => rules.length > 0)
    .toSorted(([, a], [, b]) => b.usedAtMs - a.usedAtMs)
    .slice(0, MAX_SESSIONS)
    .map(([id, session]) => ({ id, ...session }));
  const text = JSON.stringify({ v: RULE_FILE_VERSION, workspace, project, sessions: kept }, null, 2);
  const aside = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(aside, 'wx', 0o600);
    try {
      await file.writeFile(`${text}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}
