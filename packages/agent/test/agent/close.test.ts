/** Closing an agent in the middle of its work. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent } from '@holdover/agent';
import { describe, expect, it, vi } from 'vitest';
import { FORMATS, stageFor } from '../support/stage.ts';

const CALL = { kind: 'call', name: 'bash', input: { command: 'echo > begun.txt; sleep 30' } } as const;

describe.each(FORMATS)('%s', (format) => {
  it('ends the run under way with its command, and the session goes on from the result', async () => {
    const stage = await stageFor({
      format,
      steps: [[CALL], 'Never asked for.'],
      agent: {
        rules: { allow: ['bash'] },
        env: { PATH: process.env['PATH'] ?? '' },
      },
    });
    const outcome = stage.agent.run('Begin.').then(
      () => 'done',
      (error: unknown) => (error as Error).message,
    );
    await vi.waitFor(() => expect(existsSync(join(stage.folder, 'begun.txt'))).toBe(true), 10_000);
    await stage.agent.close();
    expect(await outcome).toBe('the agent was closed in the middle of its work');
    expect(stage.simulator.requests.length).toBe(1);
    const again = await createAgent({
      workspace: stage.folder,
      provider: stage.provider,
      model: 'sim-1',
      session: { kind: 'resume', id: stage.agent.sessionId },
    });
    const [, , result] = again.context.history();
    expect(JSON.stringify(result)).toContain('(interrupted; the command and everything it started were ended)');
    expect(again.context.history().length).toBe(3);
    await again.close();
  });
});
