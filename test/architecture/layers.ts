import { isBuiltin } from 'node:module';
import { packageNameOf, resolveImport, type Package } from './packages.ts';
import type { Import, Source } from './sources.ts';

/** Which of our packages a package may import. */
export const PACKAGE_DIRECTION: Readonly<Record<string, readonly string[]>> = {
  '@holdover/engine': [],
  '@holdover/simulator': [],
  '@holdover/agent': ['@holdover/engine'],
  '@holdover/lab': ['@holdover/engine'],
  holdover: ['@holdover/engine', '@holdover/simulator', '@holdover/agent', '@holdover/lab'],
};

export interface Layer {
  /** A folder or file of the engine's `src`. */
  readonly from: string;
  /** Folders or files of the engine's `src`. */
  readonly may: readonly string[];
  /** What may be imported in type-only statements besides. */
  readonly mayType?: readonly string[];
  /** Files that may use Node's modules. No layer may use a package. */
  readonly node?: readonly string[];
}

export const ENGINE = 'packages/engine/src/';

export const ENGINE_LAYERS: readonly Layer[] = [
  { from: 'core/', may: ['core/'] },
  { from: 'hub/', may: ['core/', 'hub/'] },
  { from: 'codecs/', may: ['core/'] },
  { from: 'archives/', may: ['core/', 'storage/'], node: ['archives/fs.ts'] },
  { from: 'storage/', may: ['core/', 'storage/'], node: ['storage/packed.ts', 'storage/sqlite-file.ts'] },
  { from: 'encoders/', may: ['core/'] },
  { from: 'providers/', may: ['core/', 'providers/'] },
  { from: 'proof/', may: ['core/', 'hub/', 'proof/'] },
  { from: 'skeletons/', may: ['core/'] },
  { from: 'testing/', may: ['core/', 'codecs/', 'archives/', 'testing/'] },
  { from: 'context.ts', may: ['core/', 'hub/', 'providers/'] },
  {
    from: 'index.ts',
    may: ['context.ts', 'core/', 'codecs/', 'archives/', 'encoders/', 'providers/', 'skeletons/'],
    mayType: ['hub/'],
  },
];

/** What the engine's layers (`core/layers/*.ts`) share; they know nothing else of each other. */
export const LAYER_HELPERS: readonly string[] = ['layer.ts', 'marker.ts', 'part-edits.ts', 'range-edits.ts'];

const ENGINE_LAYER_FOLDER = `${ENGINE}core/layers/`;

/** A function that says what is wrong with one import, or nothing. */
type Rule = (source: Source, found: Import) => string | undefined;

/** Applies a rule to every import of some sources. */
export function brokenImports(sources: readonly Source[], rule: Rule): string[] {
  return sources.flatMap((source) =>
    source.imports.flatMap((found) => {
      const problem = rule(source, found);
      return problem === undefined ? [] : [`${source.path}:${found.line} ${problem}`];
    }),
  );
}

export function directionProblems(pack: Package): string[] {
  const allowed = PACKAGE_DIRECTION[pack.manifest.name];
  if (allowed === undefined) return [`${pack.folder}: add ${pack.manifest.name} to PACKAGE_DIRECTION`];
  return brokenImports(pack.sources, (source, found) => {
    const target = resolveImport(source, found);
    if (target !== undefined)
      return target.startsWith(`${pack.folder}/`) ? undefined : `leaves its package: ${found.specifier}`;
    const name = packageNameOf(found.specifier);
    const ours = name !== undefined && name in PACKAGE_DIRECTION;
    return ours && !allowed.includes(name) ? `${pack.manifest.name} may not import ${name}` : undefined;
  });
}

export function layerProblems(sources: readonly Source[], layer: Layer): string[] {
  const members = sources.filter((source) => source.path.startsWith(ENGINE + layer.from));
  return brokenImports(members, (source, found) => {
    const target = resolveImport(source, found);
    if (target !== undefined) {
      const allowed = found.typeOnly ? [...layer.may, ...(layer.mayType ?? [])] : layer.may;
      return allowed.some((prefix) => target.startsWith(ENGINE + prefix))
        ? undefined
        : `${layer.from} may not import ${found.specifier}`;
    }
    const mayUseNode = layer.node?.includes(source.path.slice(ENGINE.length)) === true;
    return mayUseNode && isBuiltin(found.specifier) ? undefined : `${layer.from} may not import ${found.specifier}`;
  });
}

/** Sources of the engine that no row of the table speaks of. */
export function withoutLayer(sources: readonly Source[]): string[] {
  return sources
    .map((source) => source.path)
    .filter((path) => !ENGINE_LAYERS.some((layer) => path.startsWith(ENGINE + layer.from)));
}

export const siblingLayer: Rule = (source, found) => {
  const target = resolveImport(source, found);
  if (!source.path.startsWith(ENGINE_LAYER_FOLDER) || target?.startsWith(ENGINE_LAYER_FOLDER) !== true)
    return undefined;
  return LAYER_HELPERS.includes(target.slice(ENGINE_LAYER_FOLDER.length))
    ? undefined
    : `a layer may not import ${found.specifier}`;
};

export function ownIndex(pack: Package): string[] {
  return brokenImports(pack.sources, (source, found) => {
    const isOwn =
      resolveImport(source, found) === `${pack.folder}/src/index.ts` ||
      packageNameOf(found.specifier) === pack.manifest.name;
    return isOwn ? `imports its own package's index: ${found.specifier}` : undefined;
  });
}
