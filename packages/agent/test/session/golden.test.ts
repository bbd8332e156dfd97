/** Sessions written by earlier versions open in this one. A version that changes the log adds a file; none is ever changed. */
import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAgent } from '@holdover/agent';
import { scripted } from '@holdover/simulator';
import { expect, it } from 'vitest';
import { ECHO, openSimulator, providerFor, quickPorts, resultsIn, shownIn } from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const GOLDEN = fileURLToPath(new URL('./golden/session-v1.jsonl', import.meta.url));
const ID = '20261130-161835-0a3d70a3';

it('a session of version 1 goes on with its edits in force, and its lines stay as they were', async () => {
  const folder = tempFolder();
  const log = join(folder, '.holdover', 'sessions', `${ID}.jsonl`);
  mkdirSync(join(log, '..'), { recursive: true });
  copyFileSync(GOLDEN, log);
  chmodSync(log, 0o600);
  const brain = scripted(['Seven.']);
  const simulator = await openSimulator(brain);
  const agent = await createAgent({
    workspace: folder,
    provider: providerFor('anthropic', simulator),
    model: 'sim-1',
    tools: [ECHO],
    session: { kind: 'continue' },
    ports: quickPorts(),
  });
  expect(agent.sessionId).toBe(ID);
  expect(agent.context.history()).toHaveLength(16);
  await expect(agent.run('Say seven.')).resolves.toMatchObject({ text: 'Seven.' });
  const shown = shownIn(brain.requests[0]);
  expect(shown).toContain('[Compacted]\n\nGoal: read five texts. Done so far: all.');
  expect(shown).not.toContain('a line of a file');
  expect(resultsIn(brain.requests[0]).map(({ text }) => text)).toEqual(['six']);
  expect(shown.endsWith('Say seven.')).toBe(true);
  await agent.close();
  expect(readFileSync(log, 'utf8').startsWith(readFileSync(GOLDEN, 'utf8'))).toBe(true);
});
