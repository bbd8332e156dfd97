/** Where secrets stop, in a session that takes them out on arrival. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent } from '@holdover/agent';
import { describe, expect, it } from 'vitest';
import { sessionPath } from '../../src/session/sessions.ts';
import { FORMATS, messagesOf, quickPorts, stageFor } from '../support/stage.ts';

/** Put together here, so that no scanner takes this file for a leak. */
const KEY = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
const GONE = '[redacted: github token]';
const FILES = { 'deploy.env': `REGION=eu\nTOKEN=${KEY}\n` };
const READ = { kind: 'call' as const, name: 'read_file', input: { path: 'deploy.env' }, id: 'id_1' };
const WRITE = {
  kind: 'call' as const,
  name: 'edit_file',
  input: { path: 'deploy.env', old_text: 'REGION=eu', new_text: 'REGION=us' },
  id: 'id_2',
};
const context = { redact: 'arrival' as const };

function everythingBelow(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('\n');
}

describe.each(FORMATS)('over %s', (format) => {
  it('none reaches the provider or the log, and a resumed session sends the same', async () => {
    const stage = await stageFor({ format, files: FILES, steps: [[READ], 'Read.', 'Again.'], agent: { context } });
    const { agent, simulator, folder, provider } = stage;
    const { receipts } = await agent.run(`Use ${KEY} to deploy.`);
    expect(receipts.map(({ redacted }) => redacted)).toEqual([1, 1]);
    await agent.close();
    const again = await createAgent({
      workspace: folder,
      provider,
      model: 'sim-1',
      session: { kind: 'resume', id: agent.sessionId },
      ports: quickPorts(),
      context,
    });
    await again.run('And now?');
    await again.close();
    const sent = simulator.requests.map((record) => JSON.stringify(messagesOf(record)));
    expect(sent.join('\n')).not.toContain(KEY);
    expect(sent.at(-1)?.split(GONE)).toHaveLength(3);
    // The newest request goes on from the one before the restart, byte for byte but for cache breakpoints.
    const bare = (text = ''): string => text.replaceAll(',"cache_control":{"type":"ephemeral"}', '');
    expect(bare(sent.at(-1)).startsWith(bare(sent.at(-2)).slice(0, -1))).toBe(true);
    expect(readFileSync(sessionPath(folder, agent.sessionId), 'utf8')).not.toContain(KEY);
    expect(everythingBelow(join(folder, '.holdover'))).not.toContain(KEY);
    expect(readFileSync(join(folder, 'deploy.env'), 'utf8')).toContain(KEY);
  });

  it('a file whose secrets were not shown can still be edited after a resume', async () => {
    const stage = await stageFor({
      format,
      files: FILES,
      steps: [[READ], 'Read.', [WRITE], 'Edited.'],
      agent: { context },
    });
    const { agent, folder, provider } = stage;
    await agent.run('Read deploy.env.');
    await agent.close();
    const again = await createAgent({
      workspace: folder,
      provider,
      model: 'sim-1',
      session: { kind: 'resume', id: agent.sessionId },
      ports: quickPorts(),
      rules: { allow: ['edit_file'] },
      context,
    });
    await again.run('Move it.');
    await again.close();
    expect(readFileSync(join(folder, 'deploy.env'), 'utf8')).toBe(`REGION=us\nTOKEN=${KEY}\n`);
  });

  it('without it the session is exact', async () => {
    const stage = await stageFor({ format, files: FILES, steps: [[READ], 'Read.'] });
    await stage.agent.run('Read deploy.env.');
    await stage.agent.close();
    expect(JSON.stringify(messagesOf(stage.simulator.requests.at(-1)))).toContain(KEY);
    expect(readFileSync(sessionPath(stage.folder, stage.agent.sessionId), 'utf8')).toContain(KEY);
  });
});
