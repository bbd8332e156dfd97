/** The soak's own files as plain JavaScript: a loader in the process that is measured would take some 40 MB of the memory it is held to. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const HERE = dirname(fileURLToPath(import.meta.url));
/** Packages are found from here, and nothing else looks at it. */
const OUT = fileURLToPath(new URL('../../../../node_modules/.cache/holdover-soak/', import.meta.url));

const compilerOptions: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2023,
  rewriteRelativeImportExtensions: true,
};

/** Writes every file of this folder; returns the path of the one called `name`, without extension. */
export function compiled(name: string): string {
  mkdirSync(OUT, { recursive: true });
  writeFileSync(join(OUT, 'package.json'), '{ "type": "module" }\n');
  for (const file of readdirSync(HERE)) {
    if (file.endsWith('.mjs')) copyFileSync(join(HERE, file), join(OUT, file));
    if (!file.endsWith('.ts')) continue;
    const { outputText } = ts.transpileModule(readFileSync(join(HERE, file), 'utf8'), {
      compilerOptions,
      fileName: file,
    });
    writeFileSync(join(OUT, file.replace(/ts$/, 'js')), outputText);
  }
  return join(OUT, `${name}.js`);
}
