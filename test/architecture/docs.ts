import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { escapeRegExp, readManifest } from './packages.ts';
import { filesUnder, ROOT } from './sources.ts';

export interface Page {
  readonly path: string;
  readonly text: string;
}

/** A word or phrase that names something in the repository, and where it stands. */
interface Mention {
  readonly name: string;
  readonly line: number;
}

const ROOT_PAGES = ['README.md', 'ARCHITECTURE.md', 'AGENTS.md', 'CHANGELOG.md'];
const REPO_PATH = /^(?:packages|docs|examples|test|scripts)\/[\w./*-]*$|^\.ci\/run$/;
const SHELL_FENCE = /^```(?:sh|bash|shell|console)\b/;

export function readPages(): Page[] {
  const docs = existsSync(join(ROOT, 'docs')) ? filesUnder('docs').filter((path) => path.endsWith('.md')) : [];
  return [...ROOT_PAGES, ...docs]
    .filter((path) => existsSync(join(ROOT, path)))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

export function brokenLinks(page: Page): string[] {
  const links = mentions(page, (line, fenced) =>
    fenced ? [] : [...line.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? ''),
  );
  return links
    .filter(({ name }) => !/^(?:[a-z]+:|#)/.test(name))
    .filter(({ name }) => !existsSync(join(ROOT, posix.dirname(page.path), name.replace(/#.*$/, ''))))
    .map(({ name, line }) => `${page.path}:${line} no such file: ${name}`);
}

/** Paths in backticks, and words of shell blocks, that name a place in the repository. `*` stands for one name. */
export function brokenPaths(page: Page): string[] {
  const words = mentions(page, (line, fenced, shell) => {
    if (fenced) return shell ? line.split(/\s+/) : [];
    return [...line.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
  });
  return words
    .map(({ name, line }) => ({ name: name.replace(/^\.\//, '').replace(/:\d+$/, ''), line }))
    .filter(({ name }) => REPO_PATH.test(name) && !pathExists(name))
    .map(({ name, line }) => `${page.path}:${line} no such path: ${name}`);
}

export function unknownScripts(page: Page): string[] {
  const scripts = readManifest('.').scripts ?? {};
  const named = mentions(page, (line) => [...line.matchAll(/\bnpm run ([\w:-]+)/g)].map((match) => match[1] ?? ''));
  return named
    .filter(({ name }) => !(name in scripts))
    .map(({ name, line }) => `${page.path}:${line} no such script: npm run ${name}`);
}

function mentions(page: Page, find: (line: string, fenced: boolean, shell: boolean) => readonly string[]): Mention[] {
  let fenced = false;
  let shell = false;
  return page.text.split('\n').flatMap((line, index) => {
    if (/^\s*```/.test(line)) {
      fenced = !fenced;
      shell = SHELL_FENCE.test(line.trim());
      return [];
    }
    return find(line, fenced, shell).map((name) => ({ name, line: index + 1 }));
  });
}

function pathExists(path: string): boolean {
  if (!path.includes('*')) return existsSync(join(ROOT, path));
  const pattern = path.replace(/\/$/, '').split(/\*+/).map(escapeRegExp).join('.*');
  const folder = path.slice(0, path.indexOf('/'));
  return filesUnder(folder).some((file) => new RegExp(`^${pattern}(?:/|$)`).test(file));
}
