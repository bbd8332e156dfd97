#!/usr/bin/env node
/**
 * Packs every package as `npm publish` would, then asks two linters of packages about the tarball: publint (are the
 * entry points there and well formed?) and attw (do their types resolve as the code does?). Exits 1 on a problem.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ATTW = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');

const folders = readdirSync(join(ROOT, 'packages'))
  .map((name) => join(ROOT, 'packages', name))
  .filter((folder) => existsSync(join(folder, 'package.json')));

if (folders.some((folder) => !existsSync(join(folder, 'dist')))) {
  execFileSync('npm', ['run', 'build'], { cwd: ROOT, stdio: 'inherit' });
}

const scratch = mkdtempSync(join(tmpdir(), 'holdover-pack-'));
let problems = 0;
try {
  for (const folder of folders) problems += await checkPackage(folder);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`${folders.length} packages, problems: ${problems}`);
process.exitCode = problems === 0 ? 0 : 1;

/** Prints one line for a package and one for each of its problems; returns how many there are. */
async function checkPackage(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const tarball = pack(folder);
  const entryPoints = entryPointsOf(folder, manifest);
  const found = [...(await publintProblems(tarball)), ...attwProblems(tarball, entryPoints)];
  const verdict = found.length === 0 ? 'good' : `problems: ${found.length}`;
  console.log(`${manifest.name}: entry points: ${entryPoints.length}, ${verdict}`);
  for (const problem of found) console.log(`  ${problem}`);
  return found.length;
}

function pack(folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch];
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }));
  return join(scratch, filename);
}

/** The subpaths of `exports`, each `*` filled with the names of the files behind it. */
function entryPointsOf(folder, manifest) {
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, conditions]) => {
    if (!subpath.includes('*')) return [subpath];
    const [before, after] = conditions.default.split('*');
    if (!existsSync(join(folder, before))) return [];
    const names = readdirSync(join(folder, before), { recursive: true }).filter((name) => name.endsWith(after));
    return names.map((name) => subpath.replace('*', name.slice(0, -after.length)));
  });
}

async function publintProblems(tarball) {
  const bytes = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  return messages
    .filter((message) => message.type !== 'suggestion')
    .map((message) => `publint ${message.type}: ${formatMessage(message, pkg, { color: false })}`);
}

function attwProblems(tarball, entryPoints) {
  const args = [
    ATTW,
    tarball,
    '--profile',
    'esm-only',
    '--no-definitely-typed',
    '--format',
    'ascii',
    '--no-color',
    '--no-emoji',
  ];
  const result = spawnSync(process.execPath, [...args, '--entrypoints', ...entryPoints], {
    cwd: scratch,
    encoding: 'utf8',
  });
  return result.status === 0 ? [] : [`attw: ${`${result.stdout}${result.stderr}`.trim().replaceAll('\n', '\n    ')}`];
}
