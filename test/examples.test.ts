/** Every example runs as its header says, and ends well. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const EXAMPLES = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.ts'));

describe('examples', () => {
  it('are there', () => {
    expect(EXAMPLES).toEqual(['agent.ts', 'library.ts', 'overflow.ts', 'provider.ts']);
  });

  it.each(EXAMPLES)('%s runs', (name) => {
    const args = ['--conditions=@holdover/source', '--import', 'tsx', join(ROOT, 'examples', name)];
    const output = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    expect(output).not.toBe('');
  });
});
