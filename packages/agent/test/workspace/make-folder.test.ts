import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/workspace/make-folder.ts';
import { tempFolder } from './temp-folder.ts';

describe('makeFolder', () => {
  it('makes what is missing, owner-only, and leaves what is there', () => {
    const path = join(tempFolder(), 'a', 'b', 'c');
    makeFolder(path);
    makeFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it.runIf(existsSync('/proc/self'))('ends where no parent can be made: below /proc it went on for ever', () => {
    expect(() => makeFolder('/proc/nohome/.config/holdover')).toThrow(/ENOENT|EACCES|EPERM/);
  });
});
