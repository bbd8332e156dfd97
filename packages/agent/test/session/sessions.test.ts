import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureFolder, listSessions, newSessionId, sessionPath } from '../../src/session/sessions.ts';
import { writeTranscript } from '../../src/session/transcripts.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('session ids', () => {
  it('sort by time and have one shape', () => {
    const at = (ms: number): string => newSessionId(new Date(ms), () => 0.5);
    expect(at(Date.UTC(2026, 10, 30, 16, 18, 35, 999))).toBe('20261130-161835-80000000');
    expect(at(0) < at(1_000)).toBe(true);
    expect(newSessionId(new Date(0), () => 0)).toBe('19700101-000000-00000000');
    expect(newSessionId(new Date(0), () => 0.999_999_999_9)).toBe('19700101-000000-ffffffff');
  });

  it.each([
    '',
    '.',
    '..',
    '../../etc/passwd',
    '/etc/passwd',
    '20261130-161835-0a1b2c3d/../x',
    '20261130-161835-0a1b2c3d\n',
    '20261130-161835-0A1B2C3D',
    'C:\\x',
    '\0',
    'x'.repeat(9_999),
  ])('never become a path when they have another shape: %j', (id) => {
    expect(() => sessionPath('/root', id)).toThrow(expect.objectContaining({ code: 'session_not_found' }));
  });

  it('become a file in the folder of sessions', () => {
    expect(sessionPath('/root', '20261130-161835-0a1b2c3d')).toBe(
      join('/root', '.holdover', 'sessions', '20261130-161835-0a1b2c3d.jsonl'),
    );
  });
});

describe('the list of sessions', () => {
  function sessions(files: Readonly<Record<string, { at: number; text?: string }>>): string {
    const root = tempFolder();
    const folder = join(root, '.holdover', 'sessions');
    mkdirSync(folder, { recursive: true });
    for (const [name, { at, text = '{}\n' }] of Object.entries(files)) {
      writeFileSync(join(folder, name), text);
      utimesSync(join(folder, name), at, at);
    }
    return root;
  }

  it('is ordered by last use and leaves out what is no session', async () => {
    const root = sessions({
      '20260101-000000-00000001.jsonl': { at: 300 },
      '20260102-000000-00000002.jsonl': { at: 100 },
      '20260103-000000-00000003.jsonl': { at: 100 },
      'notes.txt': { at: 900 },
      'x.jsonl': { at: 900 },
    });
    expect(await listSessions(root)).toEqual([
      '20260101-000000-00000001',
      '20260103-000000-00000003',
      '20260102-000000-00000002',
    ]);
  });

  it('leaves out a file a crash left before its header was whole', async () => {
    const root = sessions({
      '20260101-000000-00000001.jsonl': { at: 100 },
      '20260102-000000-00000002.jsonl': { at: 200, text: '' },
      '20260103-000000-00000003.jsonl': { at: 300, text: '{"v":1,' },
    });
    expect(await listSessions(root)).toEqual(['20260101-000000-00000001']);
  });

  it('is empty where there never was one', async () => {
    expect(await listSessions(tempFolder())).toEqual([]);
  });
});

describe('folders of the agent', () => {
  it('are for their owner only and kept out of version control', async () => {
    const root = tempFolder();
    const path = await ensureFolder(root, join('.holdover', 'sessions'));
    expect([modeOf(path), modeOf(join(root, '.holdover'))]).toEqual([0o700, 0o700]);
    expect(readFileSync(join(root, '.holdover', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('keep a .gitignore the user changed', async () => {
    const root = tempFolder({ '.holdover/.gitignore': 'mine\n' });
    await ensureFolder(root, '.holdover');
    expect(readFileSync(join(root, '.holdover', '.gitignore'), 'utf8')).toBe('mine\n');
  });
});

describe('transcripts', () => {
  it('defect 7, names by second collide: many written at once all stay, owner-only', async () => {
    const root = tempFolder();
    const names = Array.from({ length: 20 }, (_, i) => `20261130-161835-0000000${i % 2}_h_0-${i}_0123456789abcdef`);
    await Promise.all(names.map((name, i) => writeTranscript(root, name, [{ role: 'user', content: `text ${i}` }])));
    const files = readdirSync(join(root, '.transcripts')).filter((name) => name !== '.gitignore');
    expect(files).toHaveLength(20);
    for (const file of files) expect(modeOf(join(root, '.transcripts', file))).toBe(0o600);
    const texts = files.map(
      (file) => (JSON.parse(readFileSync(join(root, '.transcripts', file), 'utf8')) as { content: string }).content,
    );
    expect(new Set(texts).size).toBe(20);
  });

  it('written twice at once under one name are whole', async () => {
    const root = tempFolder();
    const messages = Array.from({ length: 200 }, (_, i) => ({ role: 'user', content: `line ${i}` }));
    const [path] = await Promise.all([
      writeTranscript(root, 'same', messages),
      writeTranscript(root, 'same', messages),
    ]);
    expect(
      readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual(messages);
    expect(readdirSync(join(root, '.transcripts')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('never leave their folder, whatever they are called', async () => {
    const root = tempFolder();
    const path = await writeTranscript(root, '../../escape', []);
    expect(path.startsWith(join(root, '.transcripts'))).toBe(true);
    expect(existsSync(join(root, '..', 'escape'))).toBe(false);
  });
});
