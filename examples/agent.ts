/**
 * An agent in ten lines, with a tool of one's own. Without `provider` it would take the one the environment holds a key for; here it is the
 * simulator, so that it runs without a key. Run: npx tsx --conditions=@holdover/source examples/agent.ts
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anthropicProvider, createAgent, createHooks, defineTool, objectSchema, success } from '@holdover/agent';
import { createSimulator, scripted } from '@holdover/simulator';
import * as v from 'valibot';

const workspace = mkdtempSync(join(tmpdir(), 'holdover-example-'));
const simulator = await createSimulator({
  brain: scripted([[{ kind: 'call', name: 'weather', input: { city: 'Utrecht' } }], 'It rains in Utrecht.']),
});
const provider = anthropicProvider({ baseUrl: simulator.url, apiKey: 'none' });

// #region agent
const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city, now.',
  inputSchema: objectSchema({ city: { type: 'string' } }, ['city']),
  schema: v.object({ city: v.string('a string') }),
  access: () => [{ kind: 'none' }],
  run: async ({ city }) => success(`${city}: rain, 11 degrees`),
});
const hooks = createHooks<object>();
hooks.on('PostToolUse', (call, output) => process.stdout.write(`${call.name} said: ${output.text}\n`));

const agent = await createAgent({
  model: 'claude-sonnet-5-5',
  provider,
  workspace,
  tools: [weather],
  context: { windowTokens: 200_000 },
  hooks,
  onEvent: (event) => event.type === 'text-delta' && process.stdout.write(event.delta),
});
const { text } = await agent.run('Does it rain in Utrecht?', { signal: AbortSignal.timeout(60_000) });
// #endregion

assert.equal(text, 'It rains in Utrecht.');
assert.equal(agent.cost().calls, 2);
await agent.close();
await simulator.close();
rmSync(workspace, { recursive: true });
