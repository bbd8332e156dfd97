import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { filesUnder, readSources, ROOT, type Import, type Source } from './sources.ts';

interface Manifest {
  readonly name: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Package {
  /** `packages/engine`. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** Files of `src`. */
  readonly sources: readonly Source[];
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
}

export function readPackages(): Package[] {
  const folders = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`);
  return folders
    .filter((folder) => existsSync(join(ROOT, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readManifest(folder), sources: readSources(`${folder}/src`) }));
}

/** The package a bare specifier names: `@scope/name/sub` → `@scope/name`. Undefined for relative paths and Node's own modules. */
export function packageNameOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || isBuiltin(specifier)) return undefined;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The file a relative import means, from the root. */
export function resolveImport(source: Source, found: Import): string | undefined {
  return found.specifier.startsWith('.') ? posix.join(posix.dirname(source.path), found.specifier) : undefined;
}

export interface Target {
  /** For messages: `exports["./codecs/*"].types`. */
  readonly label: string;
  readonly written: string;
  /** The source files behind it. */
  readonly files: readonly string[];
}

/** Every target of `exports`, traced back from `dist` to `src`. */
export function exportTargets(pack: Package): Target[] {
  const files = filesUnder(pack.folder);
  return Object.entries(pack.manifest.exports ?? {}).flatMap(([subpath, conditions]) =>
    Object.entries(conditions).map(([condition, written]) => ({
      label: `${pack.folder} exports["${subpath}"].${condition}`,
      written,
      files: files.filter((file) => targetPattern(pack.folder, written).test(file)),
    })),
  );
}

function targetPattern(folder: string, target: string): RegExp {
  const source = target.replace(/^\.\/dist\//, './src/').replace(/(\.d\.ts|\.js)$/, '.ts');
  const path = posix.join(folder, source);
  return new RegExp(`^${path.split('*').map(escapeRegExp).join('.+')}$`);
}

/** The sources of a package that no chain of imports from its exports leads to. */
export function unreachable(pack: Package): string[] {
  const byPath = new Map(pack.sources.map((source) => [source.path, source]));
  const queue = exportTargets(pack).flatMap((target) => target.files);
  const reached = new Set<string>();
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const source = byPath.get(path);
    if (source === undefined || reached.has(path)) continue;
    reached.add(path);
    queue.push(...source.imports.flatMap((found) => resolveImport(source, found) ?? []));
  }
  return pack.sources.map((source) => source.path).filter((path) => !reached.has(path));
}

export function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
