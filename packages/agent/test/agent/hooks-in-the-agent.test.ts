/** Shell commands of the settings as hooks of a whole agent. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHookSettings } from '@holdover/agent';
import { describe, expect, it } from 'vitest';
import { echo, resultsIn, shownIn, stageFor } from '../support/stage.ts';

describe('shell hooks of an agent', () => {
  it('say something at the start, behind a prompt, block a call with a reason, and see what a tool gave', async () => {
    const shellHooks = parseHookSettings({
      SessionStart: [{ command: 'echo "Today is Monday."' }],
      UserPromptSubmit: [{ command: 'cat > prompt.json; echo "Ticket 17."' }],
      PreToolUse: [{ matcher: 'write_file', command: 'echo "no writing on Mondays" >&2; exit 2' }],
      PostToolUse: [{ matcher: 'echo', command: 'cat >> seen.json' }],
    });
    const write = { kind: 'call', name: 'write_file', input: { path: 'a.txt', content: 'x' } } as const;
    const stage = await stageFor({
      format: 'anthropic',
      steps: [[write, echo('hello')], 'Done.'],
      agent: { shellHooks, env: { PATH: process.env['PATH'] ?? '' }, rules: { allow: ['write_file'] } },
    });
    await stage.agent.run('Begin.');
    const first = shownIn(stage.brain.requests[0]);
    expect(first).toContain('Begin.');
    expect(first).toContain('Today is Monday.');
    expect(first).toContain('Ticket 17.');
    expect(resultsIn(stage.brain.requests[1])).toEqual([
      { text: 'no writing on Mondays', isError: true },
      { text: 'hello', isError: false },
    ]);
    expect(existsSync(join(stage.folder, 'a.txt'))).toBe(false);
    expect(JSON.parse(readFileSync(join(stage.folder, 'prompt.json'), 'utf8'))).toMatchObject({
      event: 'UserPromptSubmit',
      sessionId: stage.agent.sessionId,
      prompt: 'Begin.',
    });
    expect(JSON.parse(readFileSync(join(stage.folder, 'seen.json'), 'utf8'))).toMatchObject({
      tool: 'echo',
      output: 'hello',
    });
    // What hooks say is none of the user's words.
    expect(JSON.stringify(stage.agent.context.history())).not.toContain('Ticket 17.');
  });

  it('that hang end with the interrupt of the turn', async () => {
    const shellHooks = parseHookSettings({ PreToolUse: [{ command: 'touch begun; sleep 60', timeoutMs: 60_000 }] });
    const stage = await stageFor({
      format: 'anthropic',
      steps: [echo('hello')],
      agent: { shellHooks, env: { PATH: process.env['PATH'] ?? '' } },
    });
    const controller = new AbortController();
    const began = performance.now();
    const run = stage.agent.run('Begin.', { signal: controller.signal });
    while (!existsSync(join(stage.folder, 'begun'))) await new Promise((resolve) => setTimeout(resolve, 10));
    controller.abort();
    await expect(run).rejects.toThrow();
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(stage.agent.context.history()).toHaveLength(3);
  });
});
