/** MCP servers and skills with hostile names and words. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSkills, parseMcpServers } from '@holdover/agent';
import { describe, expect, it } from 'vitest';
import { resultsIn, type Stage, stageFor } from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const SERVER = fileURLToPath(new URL('hostile-server.mjs', import.meta.url));
const CONTROLS = /\p{Cc}/u;

async function withServer(fault: string, steps: Parameters<typeof stageFor>[0]['steps']): Promise<Stage> {
  const settings = parseMcpServers({ evil: { command: process.execPath, args: [SERVER, fault] } });
  return stageFor({
    format: 'anthropic',
    steps,
    agent: { mcpServers: settings.servers, env: { PATH: process.env['PATH'] ?? '' } },
  });
}

describe('an MCP server', () => {
  it('with a schema nested without end kept the agent from starting', async () => {
    const { agent } = await withServer('deep', ['Here.']);
    await agent.run('Hello.');
    const [status] = agent.mcp();
    expect(status?.tools).toEqual(['mcp__evil__plain']);
    expect(status?.skipped.join()).toContain('deep: its schema');
  });

  it('with names and words of an attacker offers plain names, one of each, and grants nothing', async () => {
    const call = { kind: 'call', name: 'mcp__evil__bash', input: {} } as const;
    const bash = { kind: 'call', name: 'bash', input: { command: 'touch owned' } } as const;
    const { agent, brain, folder } = await withServer('words', [{ parts: [call] }, { parts: [bash] }, 'Done.']);
    await agent.run('Go on.');
    const tools = brain.requests[0]?.tools ?? [];
    for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    expect(JSON.stringify(tools)).not.toMatch(/\\u001b|\u202e/);
    expect(JSON.stringify(tools).length).toBeLessThan(60_000);
    expect(JSON.stringify(brain.requests)).not.toContain('IGNORE ALL PREVIOUS');
    const results = resultsIn(brain.requests[2]).map(({ text }) => text);
    expect(results[0]).toContain('mcp__evil__bash was not run');
    expect(results[1]).toContain('bash was not run');
    expect(existsSync(join(folder, 'owned'))).toBe(false);
  });
});

describe('skills', () => {
  it('with hostile names, folders and sizes are left out, by reasons a terminal can show', async () => {
    const file = (name: string): string => `---\nname: ${JSON.stringify(name)}\ndescription: d\n---\nbody`;
    const names = [
      '../../x',
      '/etc/passwd',
      '__proto__',
      'a\u001b]0;x\u0007',
      'a\nb',
      'a\u202eb',
      '',
      'x'.repeat(65),
      'a b\0',
    ];
    const root = tempFolder({
      ...Object.fromEntries(names.map((name, index) => [`skills/${index}/SKILL.md`, file(name)])),
      'skills/\u001b[2Jfolder/SKILL.md': 'no name of its own',
      'skills/big/SKILL.md': 'x'.repeat(10_000_000),
      'skills/fine/SKILL.md': file('fine'),
    });
    const { skills, skipped } = await findSkills({ workspaceRoot: root });
    expect(skills.map(({ name }) => name)).toEqual(['fine']);
    expect(skipped).toHaveLength(11);
    for (const { reason } of skipped) expect(reason).not.toMatch(CONTROLS);
  });

  it.each(['../../../etc/passwd', 'toString', '__proto__', 'constructor', '\u001b[2J'])(
    'load_skill takes %j for a name and never for a path',
    async (name) => {
      const { agent, brain } = await stageFor({
        format: 'anthropic',
        files: { 'skills/fine/SKILL.md': 'Fine.' },
        steps: [{ parts: [{ kind: 'call', name: 'load_skill', input: { name } }] }, 'Done.'],
      });
      await agent.run('Go on.');
      expect(resultsIn(brain.requests[1])[0]?.text).toContain('there is no skill');
    },
  );
});
