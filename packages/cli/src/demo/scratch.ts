/** The demo's workplace: a copy of this project's own files in a temporary folder, so that nothing of the user's is touched. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '../errors.ts';

/** Names that are not sources. */
const LEFT_OUT = /^(\.git|node_modules|dist|coverage|\.holdover|\.transcripts|\.task_outputs|\.deep|.*\.tsbuildinfo)$/;

/** The repository this runs from. Throws `bad_usage` where there is none, as in an installed package. */
export function sourceRoot(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; dirname(folder) !== folder; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && readFileSync(manifest, 'utf8').includes('"holdover-workspace"')) return folder;
  }
  throw new CliError(
    'bad_usage',
    'the demo works on the sources of its own repository, which is not here; clone it, or use -p in a folder of yours',
  );
}

export function createScratch(): string {
  const root = sourceRoot();
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdover-demo-')));
  cpSync(root, scratch, {
    recursive: true,
    filter: (path) => path === root || !LEFT_OUT.test(path.split(sep).at(-1) ?? ''),
  });
  return scratch;
}

export interface SourceFile {
  /** Relative to the scratch folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
}

/** The copied TypeScript sources, sorted by path. */
export function sourceFiles(scratch: string): readonly SourceFile[] {
  return readdirSync(scratch, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name.includes(`${sep}src${sep}`))
    .sort()
    .map((name) => ({
      path: relative(scratch, join(scratch, name)).split(sep).join('/'),
      bytes: statSync(join(scratch, name)).size,
    }));
}
