import { resolveImport } from './packages.ts';
import type { Source } from './sources.ts';

/** Cycles among imports that exist at run time, each once, as `a.ts → b.ts → a.ts`. */
export function findCycles(sources: readonly Source[]): string[] {
  const edges = new Map(sources.map((source) => [source.path, valueImports(source)]));
  const cycles: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return cycles;
}

function valueImports(source: Source): string[] {
  return source.imports.filter((found) => !found.typeOnly).flatMap((found) => resolveImport(source, found) ?? []);
}
