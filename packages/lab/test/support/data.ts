/** Real sessions that are too large for the repository: `HOLDOVER_DATA`, or `shared/data` beside the checkout. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const DATA = process.env['HOLDOVER_DATA'] ?? fileURLToPath(new URL('../../../../../shared/data', import.meta.url));

/** A file of the data, and why tests of it are skipped where it is absent. */
export function dataFile(name: string): { readonly path: string; readonly isAbsent: boolean; readonly reason: string } {
  const path = join(DATA, name);
  return { path, isAbsent: !existsSync(path), reason: `HOLDOVER_DATA has no ${name}` };
}
