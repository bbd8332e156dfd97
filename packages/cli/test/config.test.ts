import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { BINARY, holdover, workFolder } from './support/holdover.ts';

const SCHEMA = new URL('../settings.schema.json', import.meta.url);

interface Shown {
  readonly file: string;
  readonly settings: readonly { readonly key: string; readonly value: unknown; readonly source: string }[];
  readonly constants: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

function fileWith(settings: object): { folder: string; file: string } {
  const folder = workFolder({ '.config/holdover/settings.json': JSON.stringify(settings) });
  return { folder, file: join(folder, '.config', 'holdover', 'settings.json') };
}

describe('holdover config', () => {
  it('shows each setting with its default and its range', async () => {
    const { status, stdout, stderr } = await holdover(['config'], { folder: workFolder() });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^windowTokens +auto +from default +\(a whole number from 4000 to 2000000, or auto\)$/m);
    expect(stdout).toMatch(
      /^policy +classic +from default +\(one of classic, economic, economic:frugal, economic:generous\)$/m,
    );
    expect(stdout).toMatch(
      /^ {2}window +windowTokens 200000, effectiveTokens 192000, warnTokens 159000, actTokens 179000, blockTokens 189000$/m,
    );
  });

  it('lets a flag win over the environment, and that over the file, and says where each value came from', async () => {
    const { folder, file } = fileWith({
      $schema: './x.json',
      windowTokens: 10_000,
      maxOutputTokens: 500,
      maxRounds: 3,
      allow: ['bash(ls)'],
    });
    const env = {
      HOLDOVER_WINDOW: '20000',
      HOLDOVER_MAX_OUTPUT: '600',
      HOLDOVER_DENY: 'bash(rm *)\nwrite_file',
      HOLDOVER_MODEL: '',
    };
    const { stdout } = await holdover(['config', '--json', '--window', '16000'], { folder, env });
    const shown = JSON.parse(stdout) as Shown;
    expect(Object.keys(shown)).toEqual(['file', 'settings', 'constants']);
    expect(shown.file).toBe(file);
    const byKey = Object.fromEntries(shown.settings.map(({ key, value, source }) => [key, [value, source]]));
    expect(byKey).toEqual({
      policy: ['classic', 'default'],
      provider: ['auto', 'default'],
      baseUrl: ['', 'default'],
      model: ['auto', 'default'],
      fallbackModel: ['', 'default'],
      windowTokens: [16_000, '--window'],
      archive: ['fs', 'default'],
      redact: ['exits', 'default'],
      maxOutputTokens: [600, 'HOLDOVER_MAX_OUTPUT'],
      thinkingTokens: [0, 'default'],
      maxRounds: [3, file],
      format: ['anthropic', 'default'],
      outputFormat: ['text', 'default'],
      allow: [['bash(ls)'], file],
      ask: [[], 'default'],
      deny: [['bash(rm *)', 'write_file'], 'HOLDOVER_DENY'],
      hooks: [{}, 'default'],
      mcpServers: [{}, 'default'],
    });
    // The policy's constants as they hold in 16,000 tokens: a 12.5th of theirs at 200,000.
    expect(shown.constants['budget']).toEqual({ limitChars: 16_000, previewChars: 160 });
    expect(shown.constants['window']).toEqual({
      windowTokens: 16_000,
      effectiveTokens: 15_400,
      warnTokens: 12_760,
      actTokens: 14_360,
      blockTokens: 15_160,
    });
  });

  it('reads the file it is told to, which has to be there', async () => {
    const folder = workFolder({ 'mine.json': '{"maxRounds":7}' });
    const [there, missing] = await Promise.all([
      holdover(['config', '--settings', 'mine.json'], { folder }),
      holdover(['config', '--settings', 'other.json'], { folder }),
    ]);
    expect(there.stdout).toMatch(/^maxRounds +7 +from mine\.json/m);
    expect(missing.status).toBe(2);
    expect(missing.stderr).toContain('other.json cannot be read');
  });

  it('reads nothing from the folder it works in: a stranger must not grant permissions', async () => {
    const folder = workFolder({
      '.holdover/settings.json': '{"allow":["bash"]}',
      'settings.json': '{"allow":["bash"]}',
    });
    const { stdout } = await holdover(['config'], { folder });
    expect(stdout).toMatch(/^allow +\[\] +from default/m);
  });

  it.each([
    [
      'a window out of range',
      { windowTokens: 3_999 },
      'windowTokens is 3999',
      'allowed: a whole number from 4000 to 2000000',
    ],
    [
      'half a token',
      { windowTokens: 4_000.5 },
      'windowTokens is 4000.5',
      'allowed: a whole number from 4000 to 2000000',
    ],
    [
      'an unknown setting',
      { windowToken: 5_000 },
      'sets "windowToken", which is no setting',
      'there are policy, provider,',
    ],
    ['a list that is none', { allow: [1] }, 'allow is [1]', 'allowed: a list of texts'],
  ])('refuses %s in the file by name, with what is allowed', async (_, settings, what, allowed) => {
    const { folder, file } = fileWith(settings);
    const { status, stdout, stderr } = await holdover(['config'], { folder });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    for (const text of [what, allowed, file]) expect(stderr).toContain(text);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    ['--window', '3999'],
    ['--window', '2000001'],
    ['--window', '1e5'],
    ['--window', '-5'],
  ])('refuses %s %s by name, with the allowed range', async (flag, value) => {
    const { status, stderr } = await holdover(['config', flag, value], { folder: workFolder() });
    expect(status).toBe(2);
    expect(stderr).toBe(
      `holdover: windowTokens is "${value}" (--window); allowed: a whole number from 4000 to 2000000, or auto\n`,
    );
  });

  it('refuses a file that is no JSON, or no object', async () => {
    const [broken, list] = await Promise.all(
      ['{"maxRounds":', '[]'].map((text) =>
        holdover(['config'], { folder: workFolder({ '.config/holdover/settings.json': text }) }),
      ),
    );
    expect([broken?.status, list?.status]).toEqual([2, 2]);
    expect(broken?.stderr).toContain('is not JSON');
    expect(list?.stderr).toContain('does not hold a JSON object');
  });

  it('prints the schema that is checked in, which accepts what the binary accepts', async () => {
    const { stdout } = await holdover(['config', '--schema'], { folder: workFolder() });
    const checkedIn = readFileSync(SCHEMA, 'utf8');
    expect(JSON.stringify(JSON.parse(stdout))).toBe(JSON.stringify(JSON.parse(checkedIn)));
    const validate = new Ajv2020({ strict: true }).compile(JSON.parse(checkedIn) as object);
    expect(validate({ $schema: 'x', windowTokens: 4_000, allow: ['bash'] })).toBe(true);
    for (const wrong of [{ windowTokens: 3_999 }, { windowToken: 5_000 }, { policy: 'x' }, { model: '' }])
      expect(validate(wrong)).toBe(false);
  });
});

describe('the binary', () => {
  it('explains itself', async () => {
    const folder = workFolder();
    const [help, version] = await Promise.all([['--help'], ['--version']].map((args) => holdover(args, { folder })));
    if (help === undefined) throw new Error('no output');
    expect([help.status, version?.status]).toEqual([0, 0]);
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(version?.stdout).toBe(`${manifest.version}\n`);
    for (const flag of [
      '--print <prompt>',
      '--continue',
      '--resume <id>',
      '--policy <name>',
      '--window <tokens>',
      '--wire-format <name>',
      '--allow <rule>',
    ]) {
      expect(help.stdout).toContain(flag);
    }
    expect(help.stdout).toMatch(/^ {2}demo \[options\]/m);
    expect(help.stdout).toMatch(/^ {2}config \[options\]/m);
  });

  it('says how to build it where it is not built', async () => {
    const folder = workFolder();
    cpSync(new URL('../bin', import.meta.url), join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const { status, stdout, stderr } = await holdover(['--help'], {
      folder,
      binary: join(folder, 'bin', 'holdover.js'),
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('holdover is not built yet: run `npm run build`');
    expect(BINARY.endsWith('holdover.js')).toBe(true);
  });
});
