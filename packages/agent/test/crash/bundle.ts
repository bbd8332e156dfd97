/** The killed process as one file, made from source: it starts in a sixth of a second, and a thousand of them do. */
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Bundles `child.ts` into the folder `name` where packages are found from; returns the path of the program. */
export async function bundleChild(name = 'holdover-crash'): Promise<string> {
  const outDir = `${ROOT}node_modules/.cache/${name}`;
  const resolve = { conditions: ['@holdover/source'] };
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    resolve,
    ssr: { noExternal: [/^@holdover\//], resolve },
    build: {
      ssr: fileURLToPath(new URL('./child.ts', import.meta.url)),
      outDir,
      emptyOutDir: true,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'child.mjs' } },
    },
  });
  return `${outDir}/child.mjs`;
}
