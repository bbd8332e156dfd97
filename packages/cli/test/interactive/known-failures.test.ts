/** Known failures in the terminal: what a prompt mentions is read before anything is compacted. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anthropicProvider, createAgent, createWorkspace } from '@holdover/agent';
import { createSimulator, scripted } from '@holdover/simulator';
import { expect, it, onTestFinished } from 'vitest';
import { expandMentions } from '../../src/interactive/input/mentions.ts';

it('D08: a file named in the very prompt that makes a compaction due reaches the model', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdover-cli-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a.ts'), 'export const answer = 42;\n');
  const brain = scripted(['One.', 'Goal: to go on.', 'Fixed.']);
  const simulator = await createSimulator({ brain, countTokens: (text) => Math.ceil(text.length / 4) });
  onTestFinished(() => simulator.close());
  const agent = await createAgent({
    workspace: folder,
    provider: anthropicProvider({ baseUrl: simulator.url, apiKey: 'none' }),
    model: 'sim-1',
    context: { windowTokens: 16_000, maxOutputTokens: 1_000 },
  });
  onTestFinished(() => agent.close());
  await agent.run('word '.repeat(8_000));
  const ports = { workspace: createWorkspace(folder), mayRead: () => true };
  const { pieces } = await expandMentions(`@a.ts fix it, please. ${'more '.repeat(3_000)}`, ports);
  await agent.run(pieces);
  expect(agent.context.groups().length).toBeGreaterThan(0);
  expect(JSON.stringify(brain.requests.at(-1))).toContain('export const answer = 42;');
});
