/** What a log says beside the messages, for whoever reads it later. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent } from '@holdover/agent';
import { scripted } from '@holdover/simulator';
import { expect, it } from 'vitest';
import { openSimulator, providerFor, quickPorts } from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

it('dates each message, and says what a reply was billed', async () => {
  const folder = tempFolder();
  const simulator = await openSimulator(scripted(['Seven.']));
  const agent = await createAgent({
    workspace: folder,
    provider: providerFor('anthropic', simulator),
    model: 'sim-1',
    ports: { ...quickPorts(), now: () => 1_700_000_000_000 },
  });
  await agent.run('Say seven.');
  const { sessionId } = agent;
  await agent.close();
  const lines = readFileSync(join(folder, '.holdover', 'sessions', `${sessionId}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  const records = lines
    .map((line) => JSON.parse(line) as { readonly type: string; readonly at?: number; readonly usage?: object })
    .filter(({ type }) => type === 'message');
  expect(records.map(({ at }) => at)).toEqual([1_700_000_000_000, 1_700_000_000_000]);
  expect(records.map(({ usage }) => Object.keys(usage ?? {}).sort())).toEqual([
    [],
    ['cacheReadTokens', 'cacheWriteTokens', 'inputTokens', 'outputTokens'],
  ]);
});
