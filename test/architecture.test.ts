/** The shape of the repository, derived from its text: who imports whom, what the core may touch, how long files are, what documents name. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCycles } from './architecture/cycles.ts';
import { brokenLinks, brokenPaths, readPages, unknownScripts } from './architecture/docs.ts';
import {
  brokenImports,
  directionProblems,
  ENGINE,
  ENGINE_LAYERS,
  layerProblems,
  ownIndex,
  siblingLayer,
  withoutLayer,
} from './architecture/layers.ts';
import { exportTargets, packageNameOf, readPackages, unreachable } from './architecture/packages.ts';
import { matchesOf, parseSource, readSources, ROOT, type Source } from './architecture/sources.ts';
import { emptyFolders, medianLines, stubFiles } from './architecture/tree.ts';

const MAX_LINES = 450;
const MAX_MEDIAN_LINES = 130;

/** Things the core and the hub must be given, not take. Matched in code, outside strings and comments. */
const AMBIENT: Readonly<Record<string, RegExp>> = {
  Date: /(?<![.\w$])Date\s*[.(]/,
  'Math.random': /\bMath\.random\b/,
  process: /(?<![.\w$])process\s*\./,
  performance: /(?<![.\w$])performance\s*\./,
  crypto: /(?<![.\w$])crypto\s*\./,
  fetch: /(?<![.\w$])fetch\s*\(/,
  timers: /(?<![.\w$])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/,
  Buffer: /(?<![.\w$])Buffer\b/,
  require: /(?<![.\w$])require\s*\(/,
  globalThis: /(?<![.\w$])globalThis\b/,
};

/** Words of the providers' wire formats, which stop at the codecs. Matched outside comments. */
const WIRE_WORDS: readonly RegExp[] = [
  /tool_use/,
  /tool_result/,
  /tool_call_id/,
  /tool_calls/,
  /role: ["']tool["']/,
  /cache_control/,
  /anthropic/i,
  /openai/i,
];

const packages = readPackages();
const sources = packages.flatMap((pack) => pack.sources);
const tests = [...readSources('test'), ...packages.flatMap((pack) => testsOf(pack.folder))];
const engine = sources.filter((source) => source.path.startsWith(ENGINE));
const pure = engine.filter((source) => /^(?:core|hub)\//.test(source.path.slice(ENGINE.length)));

function testsOf(folder: string): Source[] {
  return existsSync(join(ROOT, folder, 'test')) ? readSources(`${folder}/test`) : [];
}

function matches(list: readonly Source[], view: 'code' | 'bare' | 'comments', pattern: RegExp): string[] {
  return list.flatMap((source) => matchesOf(source, view, pattern));
}

describe('direction', () => {
  it.each(packages)('$manifest.name imports only the packages it may', (pack) => {
    expect(directionProblems(pack)).toEqual([]);
  });

  it.each(packages)('nothing in $folder imports its own index', (pack) => {
    expect(ownIndex(pack)).toEqual([]);
  });

  it.each(packages)('$folder has no cycle among its value imports', (pack) => {
    expect(findCycles(pack.sources)).toEqual([]);
  });

  it.each(ENGINE_LAYERS)('engine: $from imports only $may', (layer) => {
    expect(layerProblems(engine, layer)).toEqual([]);
  });

  it('engine: every file belongs to a row of the layer table', () => {
    expect(withoutLayer(engine)).toEqual([]);
  });

  it('engine: a layer knows no other layer', () => {
    expect(brokenImports(engine, siblingLayer)).toEqual([]);
  });
});

describe('the core and the hub', () => {
  it.each(Object.entries(AMBIENT))('take no %s from their surroundings', (_name, pattern) => {
    expect(matches(pure, 'bare', pattern)).toEqual([]);
  });

  it("import none of Node's modules", () => {
    expect(
      brokenImports(pure, (_source, { specifier }) => (specifier.startsWith('node:') ? specifier : undefined)),
    ).toEqual([]);
  });

  it.each(WIRE_WORDS)('do not speak of %s', (word) => {
    expect(matches(pure, 'code', word)).toEqual([]);
  });
});

describe('sizes', () => {
  it(`no source file is over ${MAX_LINES} lines`, () => {
    expect(sources.filter(({ lines }) => lines > MAX_LINES).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
  });

  it(`the median file of each package is at most ${MAX_MEDIAN_LINES} lines`, () => {
    const medians = packages.map((pack) => ({
      folder: pack.folder,
      median: medianLines(pack.sources),
      files: pack.sources.length,
    }));
    console.info(
      medians.map(({ folder, median, files }) => `${folder}: ${files} files, median ${median} lines`).join('\n'),
    );
    expect(medians.filter(({ median }) => median > MAX_MEDIAN_LINES)).toEqual([]);
  });
});

describe('dependencies', () => {
  it.each(packages)('$folder declares every package it imports', (pack) => {
    const declared = Object.keys({ ...pack.manifest.dependencies, ...pack.manifest.peerDependencies });
    const undeclared = brokenImports(pack.sources, (_source, { specifier }) => {
      const name = packageNameOf(specifier);
      return name === undefined || declared.includes(name) || name === pack.manifest.name
        ? undefined
        : `undeclared: ${name}`;
    });
    expect(undeclared).toEqual([]);
  });

  it.each(packages)('$folder imports every package it declares', (pack) => {
    const imported = new Set(
      pack.sources.flatMap((source) => source.imports.map(({ specifier }) => packageNameOf(specifier))),
    );
    expect(Object.keys(pack.manifest.dependencies ?? {}).filter((name) => !imported.has(name))).toEqual([]);
  });
});

describe('exports', () => {
  it.each(packages)('every target of $folder has a source file', (pack) => {
    const missing = exportTargets(pack).filter(({ files }) => files.length === 0);
    expect(missing.map(({ label, written }) => `${label}: ${written}`)).toEqual([]);
  });

  it.each(packages)('every source file of $folder is reached from its exports', (pack) => {
    expect(unreachable(pack)).toEqual([]);
  });

  it.each(packages)('the binaries of $folder exist', (pack) => {
    const binaries = Object.values(pack.manifest.bin ?? {});
    expect(binaries.filter((path) => !existsSync(join(ROOT, pack.folder, path)))).toEqual([]);
  });
});

describe('documents', () => {
  const pages = readPages();

  it('there is a README.md', () => {
    expect(existsSync(join(ROOT, 'README.md')), 'README.md is missing').toBe(true);
  });

  it.each(pages)('the links of $path lead somewhere', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it.each(pages)('the paths in $path exist', (page) => {
    expect(brokenPaths(page)).toEqual([]);
  });

  it.each(pages)('the scripts in $path exist', (page) => {
    expect(unknownScripts(page)).toEqual([]);
  });
});

describe('nothing is waved through', () => {
  it('no comment switches a linter off', () => {
    expect(
      matches([...sources, ...tests], 'comments', /(?:eslint|oxlint|biome|prettier)-(?:disable|ignore)\S*/),
    ).toEqual([]);
  });

  it('no comment silences the compiler', () => {
    expect(matches([...sources, ...tests], 'comments', /@ts-(?:ignore|expect-error|nocheck)/)).toEqual([]);
  });

  it('nothing is typed any', () => {
    expect([...sources, ...tests].flatMap(({ path, anyLines }) => anyLines.map((line) => `${path}:${line}`))).toEqual(
      [],
    );
  });

  it('no test is skipped, left for later or run alone', () => {
    expect(matches(tests, 'bare', /\b(?:describe|it|test|suite|bench)\b[\w.]*\.(?:only|skip|todo)\b/)).toEqual([]);
  });

  it('no comment leaves work for later', () => {
    expect(matches(sources, 'comments', /\b(?:TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
  });

  it('no file is a stub', () => {
    expect(stubFiles([...sources, ...tests])).toEqual([]);
  });

  it('no folder is empty', () => {
    expect(emptyFolders(['packages', 'test', 'scripts', 'examples', 'docs', '.ci'])).toEqual([]);
  });
});

describe('the reader of sources', () => {
  it('tells comments, literals and code apart', () => {
    const source = parseSource(
      'x.ts',
      "const a = '// no'; // yes\nconst b = `/* ${a} */`;\nconst c = /\\/\\*/;\n/* yes */ const d: any = a;\n",
    );
    expect(source.comments.replaceAll(/\s+/g, ' ').trim()).toBe('// yes /* yes */');
    expect(source.bare).not.toContain('no');
    expect(source.code).toContain("'// no'");
    expect(source.anyLines).toEqual([4]);
  });

  it('tells imports that exist at run time from types', () => {
    const text =
      "import type { A } from './a.ts';\nimport { type B } from './b.ts';\nexport type { C } from './c.ts';\nawait import('./d.ts');\n";
    const kinds = parseSource('x.ts', text).imports.map(({ specifier, typeOnly }) => [specifier, typeOnly]);
    expect(kinds).toEqual([
      ['./a.ts', true],
      ['./b.ts', false],
      ['./c.ts', true],
      ['./d.ts', false],
    ]);
  });

  it('finds a cycle of values and none of types', () => {
    const value = [
      parseSource('a.ts', "import { b } from './b.ts';"),
      parseSource('b.ts', "import { a } from './a.ts';"),
    ];
    const type = [
      parseSource('a.ts', "import { b } from './b.ts';"),
      parseSource('b.ts', "import type { A } from './a.ts';"),
    ];
    expect(findCycles(value)).toEqual(['a.ts → b.ts → a.ts']);
    expect(findCycles(type)).toEqual([]);
  });
});
