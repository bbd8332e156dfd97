/** The SQLite archive where its package is not installed. */
import { readdirSync } from 'node:fs';
import { createAgent } from '@holdover/agent';
import { scripted } from '@holdover/simulator';
import { expect, it, vi } from 'vitest';
import { openSimulator, providerFor } from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

vi.mock('libsql', () => {
  throw new Error("Cannot find package 'libsql'");
});

it('says what to install before a session is begun, and makes nothing', async () => {
  const folder = tempFolder();
  const simulator = await openSimulator(scripted([]));
  const opening = createAgent({
    workspace: folder,
    provider: providerFor('anthropic', simulator),
    model: 'sim-1',
    context: { archive: 'sqlite' },
  });
  await expect(opening).rejects.toMatchObject({
    code: 'archive_unavailable',
    message:
      'the SQLite archive needs the package libsql: install it beside holdover (npm install libsql@0.5.29), or set "archive" to "fs"',
  });
  expect(readdirSync(folder)).toEqual([]);
});
