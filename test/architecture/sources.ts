import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The repository's root folder. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

export interface Import {
  /** As written: `./plan.ts`, `node:fs`, `@holdover/engine`. */
  readonly specifier: string;
  readonly line: number;
  /** Erased by the compiler: `import type`, `export type … from`, `typeof import()`. */
  readonly typeOnly: boolean;
}

export interface Source {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** The text with comments blanked; line numbers still hold. */
  readonly code: string;
  /** The text with comments and the insides of literals blanked. */
  readonly bare: string;
  /** The comments alone, everything else blanked. */
  readonly comments: string;
  readonly imports: readonly Import[];
  /** Lines that use the type `any`. */
  readonly anyLines: readonly number[];
}

type Range = readonly [start: number, end: number];

const LITERALS = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.TemplateHead,
  ts.SyntaxKind.TemplateMiddle,
  ts.SyntaxKind.TemplateTail,
  ts.SyntaxKind.RegularExpressionLiteral,
]);
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g;
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'coverage', 'fixtures', 'golden']);

/** Every file under a folder of the repository, as paths from the root, sorted. Hidden and generated folders are left out. */
export function filesUnder(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.split('/').some((part) => SKIPPED_FOLDERS.has(part)))
    .sort();
}

export function readSources(folder: string): Source[] {
  return filesUnder(folder)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => parseSource(path, readFileSync(join(ROOT, path), 'utf8')));
}

export function parseSource(path: string, text: string): Source {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = inspect(tree);
  const withoutLiterals = blank(text, found.literals);
  const comments = [...withoutLiterals.matchAll(COMMENT)].map(
    (match): Range => [match.index, match.index + match[0].length],
  );
  return {
    path,
    text,
    lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    code: blank(text, comments),
    bare: blank(withoutLiterals, comments),
    comments: blank(text, complement(comments, text.length)),
    imports: found.imports,
    anyLines: found.anyLines,
  };
}

/** `path:line` of every match of a pattern in one of a source's texts. */
export function matchesOf(source: Source, view: 'code' | 'bare' | 'comments', pattern: RegExp): string[] {
  const lines = source[view].split('\n');
  return lines.flatMap((line, index) => {
    const match = line.match(pattern);
    return match === null ? [] : [`${source.path}:${index + 1} ${match[0].trim()}`];
  });
}

function inspect(tree: ts.SourceFile): { literals: Range[]; imports: Import[]; anyLines: number[] } {
  const literals: Range[] = [];
  const imports: Import[] = [];
  const anyLines: number[] = [];
  const lineOf = (node: ts.Node): number => tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
  const visit = (node: ts.Node): void => {
    if (LITERALS.has(node.kind)) literals.push([node.getStart(tree), node.end]);
    if (node.kind === ts.SyntaxKind.AnyKeyword) anyLines.push(lineOf(node));
    const found = importOf(node);
    if (found !== undefined) imports.push({ ...found, line: lineOf(node) });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { literals, imports, anyLines };
}

function importOf(node: ts.Node): Omit<Import, 'line'> | undefined {
  if (ts.isImportDeclaration(node)) {
    return imported(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
  }
  if (ts.isExportDeclaration(node)) return imported(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isImportTypeNode(node))
    return imported(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return imported(node.arguments[0], false);
  return undefined;
}

function imported(specifier: ts.Node | undefined, typeOnly: boolean): Omit<Import, 'line'> | undefined {
  return specifier !== undefined && ts.isStringLiteralLike(specifier)
    ? { specifier: specifier.text, typeOnly }
    : undefined;
}

function blank(text: string, ranges: readonly Range[]): string {
  let result = '';
  let position = 0;
  for (const [start, end] of ranges) {
    result += text.slice(position, start) + text.slice(start, end).replaceAll(/[^\n]/g, ' ');
    position = end;
  }
  return result + text.slice(position);
}

function complement(ranges: readonly Range[], length: number): Range[] {
  const ends = [0, ...ranges.map(([, end]) => end)];
  const starts = [...ranges.map(([start]) => start), length];
  return ends.map((end, index): Range => [end, starts[index] ?? length]);
}
