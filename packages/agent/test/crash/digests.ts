/** Digests over the messages of a history, by its length: the same in the process that wrote them and in the one that reads them back. */
import { createHash } from 'node:crypto';

export function digestOf(messages: readonly object[]): string {
  const hash = createHash('sha256');
  for (const message of messages) hash.update(JSON.stringify(message)).update('\n');
  return hash.digest('hex').slice(0, 16);
}
