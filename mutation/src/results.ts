/** Results per source file in `.mutation/results`, with digests of what they hold for. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line, Mutant } from './plan.ts';
import type { Status, Verdicts } from './verdicts.ts';

export interface Judged extends Omit<Mutant, 'id' | 'file'> {
  readonly status: Status;
  /** Test, or test file, that killed it. */
  readonly by?: string;
}

export interface Result {
  readonly file: string;
  readonly digest: string;
  /** Digest of each test file it was run against. */
  readonly tests: Readonly<Record<string, string>>;
  /** In the order of the instrumenter. */
  readonly mutants: readonly Judged[];
}

/** Slow histories at random, and tests of speed, which fail by chance where the code carries mutants. */
const EXCLUDED = /\/(?:properties|deep)\/|kind-19-performance|providers\/redact|encoders\/guard/;

export class Results {
  readonly #root: string;
  readonly #folder: string;
  /** Digests of the test files that are run. */
  readonly tests: Readonly<Record<string, string>>;

  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = join(folder, 'results');
    mkdirSync(this.#folder, { recursive: true });
    const all = filesUnder(root, 'packages/engine/test').filter((file) => !EXCLUDED.test(file));
    // What test files share: it changes them all.
    const shared = digestOf(...all.filter((file) => !file.endsWith('.test.ts')).map((file) => this.#read(file)));
    this.tests = Object.fromEntries(
      all.filter((file) => file.endsWith('.test.ts')).map((file) => [file, digestOf(shared, this.#read(file))]),
    );
  }

  #read(file: string): string {
    return readFileSync(join(this.#root, file), 'utf8');
  }

  #path(file: string): string {
    return join(this.#folder, `${file.replaceAll('/', '__')}.json`);
  }

  /** The kept result of `file`, if the file has not changed since. */
  get(file: string): Result | undefined {
    try {
      const result = JSON.parse(readFileSync(this.#path(file), 'utf8')) as Result;
      return result.digest === digestOf(this.#read(file)) ? result : undefined;
    } catch {
      return undefined;
    }
  }

  /** Test files that `file` still has to be run against; none where its result holds. */
  missing(file: string): readonly string[] {
    const result = this.get(file);
    return Object.keys(this.tests).filter((test) => result?.tests[test] !== this.tests[test]);
  }

  /** What earlier runs say of `mutants`: killed by a test that has not changed. */
  known(mutants: readonly Mutant[]): readonly Line[] {
    return groups(mutants).flatMap(([file, list]) => {
      const result = this.get(file);
      return list.flatMap(({ id }, at): readonly Line[] => {
        const before = result?.mutants[at];
        if (before?.by === undefined || (before.status !== 'killed' && before.status !== 'timeout')) return [];
        const test = before.by.split(' ')[0]!;
        const holds = test === 'alone' || result!.tests[test] === this.tests[test];
        return holds ? [{ is: before.status, mutant: id, test: before.by }] : [];
      });
    });
  }

  keep(mutants: readonly Mutant[], verdicts: Verdicts): void {
    for (const [file, list] of groups(mutants)) {
      const before = this.get(file);
      const judged = list.map((mutant, at): Judged => {
        const { id, file: _, ...rest } = mutant;
        const status = verdicts.statusOf(mutant);
        const wasCovered = status === 'uncovered' && before !== undefined && before.mutants[at]?.status !== 'uncovered';
        const by = verdicts.dead.get(id)?.by;
        return { ...rest, status: wasCovered ? 'survived' : status, ...(by === undefined ? {} : { by }) };
      });
      const result: Result = { file, digest: digestOf(this.#read(file)), tests: this.tests, mutants: judged };
      writeFileSync(this.#path(file), JSON.stringify(result, undefined, 1));
    }
  }
}

function groups(mutants: readonly Mutant[]): readonly (readonly [string, readonly Mutant[]])[] {
  const byFile = new Map<string, Mutant[]>();
  for (const mutant of mutants) byFile.set(mutant.file, [...(byFile.get(mutant.file) ?? []), mutant]);
  return [...byFile];
}

function digestOf(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** TypeScript files below `folder`, sorted. */
export function filesUnder(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)
    .sort();
}
