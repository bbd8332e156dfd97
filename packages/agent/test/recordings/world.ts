/** The folder a recorded session works in, and what it holds, kept in step. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface World {
  readonly folder: string;
  /** Paths, sorted. */
  paths(): readonly string[];
  has(path: string): boolean;
  /** Throws where there is no such file. */
  text(path: string): string;
  lines(path: string): readonly string[];
  /** Writes a file, as a program or a person beside the agent does. */
  write(path: string, text: string): void;
  /** Notes what the agent's own tools wrote. */
  note(path: string, text: string): void;
  /** Paths whose text is not the one at `mark`. */
  changed(): readonly string[];
  /** From here on `changed` counts anew: a commit. */
  mark(): void;
}

export function createWorld(folder: string): World {
  const files = new Map<string, string>();
  let base = new Map<string, string>();
  const world: World = {
    folder,
    paths: () => [...files.keys()].sort(),
    has: (path) => files.has(path),
    text(path) {
      const text = files.get(path);
      if (text === undefined) throw new Error(`there is no ${path} in this world`);
      return text;
    },
    lines: (path) => world.text(path).split('\n'),
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
      files.set(path, text);
    },
    note(path, text) {
      files.set(path, text);
    },
    changed: () => world.paths().filter((path) => base.get(path) !== files.get(path)),
    mark() {
      base = new Map(files);
    },
  };
  return world;
}
