import { describe, expect, it } from 'vitest';
import { start, workFolder } from '../support/holdover.ts';

const FILES = { 'a.txt': 'first line\nsecond line\n' };

describe('holdover in a pipe', () => {
  it('reads prompts and commands line by line and prints plain lines', async () => {
    const { child, ended } = start([], { folder: workFolder(FILES) });
    child.stdin?.end('Read the file a.txt.\n\n/context\n/undo\n');
    const { status, stdout, stderr } = await ended;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).not.toContain('\u001b');
    const lines = stdout.replace(/\d{8}-\d{6}-[0-9a-f]{8}/, 'ID').split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'Holdover · built-in model, no key needed · /help',
      'session ID',
      '> Read the file a.txt.',
    ]);
    expect(lines).toContain('* read_file a.txt  2 lines');
    expect(stdout).toContain('"first line"');
    expect(stdout).toMatch(/^> \/context\nContext {2}[\d.]+k of 200k tokens/m);
    expect(stdout).toContain('> /undo\nThere is no compaction to take back.');
  });

  it('asks nobody, refuses, and ends with status 1 where anything failed', async () => {
    const folder = workFolder();
    const { child, ended } = start([], { folder });
    child.stdin?.end('Run "touch made.txt"\n/contxt\n');
    const { status, stdout } = await ended;
    expect(status).toBe(1);
    expect(stdout).toContain('and nobody can be asked');
    expect(stdout).toContain('! there is no command /contxt; the nearest is /context');
  });

  it('leaves at /quit and reads no further', async () => {
    const { child, ended } = start([], { folder: workFolder(FILES) });
    child.stdin?.end('/quit\nRead the file a.txt.\n');
    const { status, stdout } = await ended;
    expect(status).toBe(0);
    expect(stdout).not.toContain('read_file');
  });
});
