import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { holdover, workFolder } from './support/holdover.ts';

interface Layer {
  readonly times: number;
  readonly edits: number;
  readonly freedTokens: number;
}

interface DemoJson {
  readonly seed: number;
  readonly policy: string;
  readonly layers: Readonly<Record<string, Layer>>;
  readonly cut: number;
  readonly billed: Readonly<Record<string, number>>;
  readonly appendOnly: {
    readonly died?: { readonly request: number; readonly tokens: number };
    readonly equivalents: number;
  };
  readonly archive: Readonly<Record<string, number>>;
  readonly proof: Readonly<Record<string, unknown>>;
  readonly failures: readonly string[];
  readonly broken: readonly string[];
}

describe('holdover demo', () => {
  it('keeps all its promises: every layer fires, the work is right, everything comes back identical', async () => {
    const folder = workFolder();
    const { status, stdout, stderr } = await holdover(['demo', '--json', '--seed', '7'], {
      folder,
      env: { TMPDIR: folder },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const receipt = JSON.parse(stdout) as DemoJson;
    expect(receipt).toMatchObject({ seed: 7, policy: 'classic', failures: [], broken: [] });
    expect(Object.keys(receipt.layers)).toEqual(['budget', 'snip', 'micro', 'summary', 'reactive', 'compact']);
    for (const [name, { times, edits, freedTokens }] of Object.entries(receipt.layers)) {
      expect(times, name).toBeGreaterThan(0);
      expect(edits, name).toBeGreaterThanOrEqual(times);
      expect(freedTokens, name).toBeGreaterThan(0);
    }
    const { archive, billed, appendOnly } = receipt;
    expect(archive['issued']).toBeGreaterThan(10);
    expect(archive['identical']).toBe(archive['issued']);
    expect(archive['items']).toBeGreaterThan(0);
    expect(archive['bytes']).toBeGreaterThan(0);
    expect(billed['requests']).toBeGreaterThan(30);
    expect(receipt.proof).toMatchObject({ churnTokens: 0, failures: [], turns: receipt.proof['sealedTurns'] });
    // The window was met at least once: a request was refused, or a reply cut where it ends.
    expect((billed['refused'] ?? 0) + receipt.cut).toBeGreaterThan(0);
    expect(appendOnly.died?.tokens).toBeGreaterThan(24_000);
    expect(billed['equivalents']).toBeLessThan(appendOnly.equivalents);
    // Its scratch copy is gone.
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses a seed that is none', async () => {
    const { status, stderr } = await holdover(['demo', '--seed', 'x'], { folder: workFolder() });
    expect(status).toBe(2);
    expect(stderr).toBe('holdover: --seed is "x"; allowed: a whole number from 0 to 999999999\n');
  });
});
