/** Sources with all their mutants in them, made by Stryker's instrumenter. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import type { Mutant } from './plan.ts';

/** What the ignorers look at of a syntax tree. */
interface Node {
  readonly type: string;
  readonly callee?: { readonly type: string; readonly name?: string };
}

interface Path {
  readonly node: Node;
  readonly parentPath: Path | null;
  readonly listKey?: string | null;
  readonly key?: string | number | null;
}

const quiet = new Proxy({}, { get: (_, key) => (String(key).startsWith('is') ? () => false : () => undefined) });

/**
 * What an error says to people may be worded otherwise without breaking anybody: everything behind the code of an error that is thrown.
 * The code itself is changed.
 */
const wording = {
  shouldIgnore(path: Path): string | undefined {
    const parent = path.parentPath;
    const isArgument = parent?.node.type === 'NewExpression' && path.listKey === 'arguments';
    if (!isArgument || parent.node.callee?.name?.endsWith('Error') !== true) return undefined;
    return path.key === 1 || parent.node.callee.name !== 'ContextError' ? 'the wording of an error' : undefined;
  },
};

export interface Instrumented {
  readonly mutants: readonly Mutant[];
  /** The text with the mutants, by file. */
  readonly contents: ReadonlyMap<string, string>;
}

/** Mutants of `files`, paths relative to `root`, numbered over all of them. */
export async function instrument(root: string, files: readonly string[]): Promise<Instrumented> {
  const texts = new Map(files.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
  const options = { plugins: null, excludedMutations: [], ignorers: [wording] };
  const result = await new Instrumenter(quiet as never).instrument(
    [...texts].map(([name, content]) => ({ name, content, mutate: true })),
    options as never,
  );
  const mutants = result.mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ id, fileName, location, mutatorName, replacement }) => ({
      id,
      file: fileName,
      line: location.start.line + 1,
      mutator: mutatorName,
      original: shortened(textAt(texts.get(fileName)!, location)),
      replacement: shortened(replacement),
    }));
  return { mutants, contents: new Map(result.files.map(({ name, content }) => [name, content])) };
}

interface Location {
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

function textAt(text: string, { start, end }: Location): string {
  const lines = text.split('\n').slice(start.line, end.line + 1);
  const last = lines.length - 1;
  return lines
    .map((line, at) => line.slice(at === 0 ? start.column : 0, at === last ? end.column : undefined))
    .join('\n');
}

/** On one line, at most 120 characters: names a mutant where its line number may have moved. */
function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 120 ? line : `${line.slice(0, 90)} … ${line.slice(-27)}`;
}
