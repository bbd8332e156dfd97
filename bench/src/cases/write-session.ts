/** Writes a session to the file that is its subject, so that the process that measures memory has made none of it. */
import { writeFileSync } from 'node:fs';
import type { Case } from '../row.ts';
import { sessionJson } from '../session.ts';

export const run: Case['run'] = async ({ size, subject }) => {
  writeFileSync(subject, sessionJson(size));
  return [];
};
