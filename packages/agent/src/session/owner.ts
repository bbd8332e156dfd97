/**
 * Whether a file of a session or of remembered rules is this user's own. A folder from somebody else may bring such files along; ours are always
 * owner-only, so one that others can read or write was put there by something else.
 */
import type { Stats } from 'node:fs';

/** Bits that give anybody else anything. */
const OTHERS = 0o077;

/** Why the file is not taken for this user's own, with what to do about it; undefined where it is. Systems without owners have no such doubt. */
export function foreignReason(path: string, stats: Pick<Stats, 'uid' | 'mode'>): string | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  if (stats.uid !== uid)
    return `${path} belongs to another user (id ${stats.uid}), so it may say anything; if you trust it, make it yours: chown ${uid} and chmod 600`;
  if ((stats.mode & OTHERS) === 0) return undefined;
  const mode = (stats.mode & 0o777).toString(8);
  return `${path} is open to other users (mode ${mode}), as no file this program wrote is: it may have come with the folder; if you trust it: chmod 600`;
}
