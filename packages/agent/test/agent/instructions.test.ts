import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_INSTRUCTIONS_BYTES, readInstructions } from '../../src/agent/instructions.ts';
import { systemPrompt } from '../../src/agent/system-prompt.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

describe('standing instructions', () => {
  it("are the user's, then the project's", async () => {
    const kept = tempFolder({ 'AGENTS.md': 'Answer in Dutch.\n' });
    // Folders of settings are often links into a repository of their own.
    const userFolder = join(tempFolder(), 'holdover');
    symlinkSync(kept, userFolder);
    const workspace = createWorkspace(tempFolder({ 'AGENTS.md': '# Rules\nUse tabs.\n' }));
    const instructions = await readInstructions({ workspace, userFolder });
    expect(instructions).toEqual([
      { source: "the user's AGENTS.md", text: 'Answer in Dutch.' },
      { source: "the project's AGENTS.md", text: '# Rules\nUse tabs.' },
    ]);
    expect(systemPrompt({ instructions })).toContain(
      "Standing instructions from the user's AGENTS.md:\n\nAnswer in Dutch.\n\nStanding instructions from the project's AGENTS.md:\n\n# Rules\nUse tabs.",
    );
  });

  it('are none where the file is missing, empty, a folder or a link out of the workspace', async () => {
    const outside = tempFolder({ 'secret.md': 'a secret' });
    const folders = [tempFolder(), tempFolder({ 'AGENTS.md': ' \n' }), tempFolder(), tempFolder()] as const;
    mkdirSync(join(folders[2], 'AGENTS.md'));
    symlinkSync(join(outside, 'secret.md'), join(folders[3], 'AGENTS.md'));
    for (const folder of folders) {
      expect(await readInstructions({ workspace: createWorkspace(folder), userFolder: tempFolder() })).toEqual([]);
    }
    expect(systemPrompt({ instructions: [] })).toBe(systemPrompt());
  });

  it('are cut where they are too long, and say by how much', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'AGENTS.md'), 'x'.repeat(MAX_INSTRUCTIONS_BYTES + 7));
    const [only] = await readInstructions({ workspace: createWorkspace(folder) });
    expect(only?.text).toBe(`${'x'.repeat(MAX_INSTRUCTIONS_BYTES)}\n(7 more bytes were left out)`);
  });
});
