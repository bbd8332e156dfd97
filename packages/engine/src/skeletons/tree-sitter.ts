/**
 * Skeletons by a parser of tree-sitter, which the host has installed and loaded: `new Parser()` of web-tree-sitter with a language set is one as it
 * is. Where it cannot help, the skeleton by indentation takes its place.
 */
import { headOf } from '../core/layers/marker.ts';
import type { Language } from '../core/previews/languages.ts';
import type { OutlineItem, Rank, Skeleton } from '../core/previews/skeleton.ts';

export interface SyntaxPosition {
  readonly row: number;
  readonly column: number;
}

/** What of web-tree-sitter's nodes is read. */
export interface SyntaxNode {
  readonly type: string;
  readonly startPosition: SyntaxPosition;
  readonly endPosition: SyntaxPosition;
  readonly namedChildren: readonly (SyntaxNode | null)[];
}

/** What of web-tree-sitter's parsers is called; positions are rows from 0 and columns in characters. */
export interface SyntaxParser {
  parse(code: string): { readonly rootNode: SyntaxNode; delete?(): void } | null;
}

/** Longer sources are read by indentation: a tree takes some fifty times their size. */
const MAX_SOURCE_CHARS = 1_000_000;
const MAX_HEAD_CHARS = 240;
/** Containers within containers that are opened. */
const MAX_DEPTH = 3;
/** Wrappers between a declaration and its body: `export`, `const f =`, a decorator. */
const MAX_WRAPPERS = 4;

/** Nodes that are left out, or opened where a container has them, in the grammars' own words. */
const BODIES: ReadonlySet<string> = new Set([
  ...['statement_block', 'block', 'class_body', 'interface_body', 'enum_body', 'object_type', 'object', 'array'],
  ...['declaration_list', 'field_declaration_list', 'enum_variant_list', 'enum_declaration_list', 'body_statement'],
  ...['compound_statement', 'constructor_body', 'function_body', 'enumerator_list', 'interface_type', 'accessor_list'],
]);
const CONTAINER =
  /^(?:class|abstract_class|interface|trait|impl|mod|module|namespace|internal_module|enum|struct|record|object_declaration|companion|union|type_spec)(?:_|$)/;
const IMPORT = /^(?:import|use_declaration|using_directive|preproc_include|package_clause|namespace_use|future_import)/;
const FUNCTION = /function|method|constructor|arrow|lambda|^(?:def|getter|setter|macro)/;
const COMMENT = /comment/;

/** A declaration's body, and the node that owns it. */
interface Body {
  readonly owner: SyntaxNode;
  readonly body: SyntaxNode;
}

function children({ namedChildren }: SyntaxNode): readonly SyntaxNode[] {
  return namedChildren.filter((child) => child !== null);
}

function bodyOf(node: SyntaxNode, wrappers = 0): Body | undefined {
  const members = children(node);
  const body = members.findLast(({ type }) => BODIES.has(type));
  if (body !== undefined) return { owner: node, body };
  const last = members.findLast(({ type }) => !COMMENT.test(type));
  return last === undefined || wrappers >= MAX_WRAPPERS ? undefined : bodyOf(last, wrappers + 1);
}

interface Walk {
  readonly lines: readonly string[];
  readonly items: OutlineItem[];
  /** The first line no item stands for. */
  pending: number;
}

/** The source from the start of a node to its body as one line. */
function headText({ lines }: Walk, from: SyntaxPosition, to: SyntaxPosition): string {
  const taken = lines.slice(from.row, to.row + 1);
  const last = taken.length - 1;
  const parts = taken.map((line, i) => line.slice(0, i === last ? to.column : undefined).trim());
  return headOf(parts.filter((part) => part !== '').join(' '), MAX_HEAD_CHARS);
}

/** The line behind a node: its end may stand at the start of the next. */
function lineBehind({ endPosition }: SyntaxNode): number {
  return endPosition.column === 0 ? endPosition.row : endPosition.row + 1;
}

function rankOf(node: SyntaxNode, owner: SyntaxNode | undefined, depth: number): Rank {
  if (IMPORT.test(node.type)) return 2;
  const type = owner?.type ?? node.type;
  if (!(CONTAINER.test(type) || FUNCTION.test(type))) return 3;
  return depth === 0 ? 0 : 1;
}

function push(walk: Walk, item: Omit<OutlineItem, 'from'>): void {
  if (item.to <= walk.pending || item.at < walk.pending) return;
  walk.items.push({ from: walk.pending, ...item });
  walk.pending = item.to;
}

function characterAt({ lines }: Walk, { row, column }: SyntaxPosition): string {
  return lines[row]?.[column] ?? '';
}

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };

/** ` { … 12 lines }`, or without brackets where the language has none. */
function foldedBody(walk: Walk, body: SyntaxNode): string {
  const opening = characterAt(walk, body.startPosition);
  const closing = CLOSING[opening];
  const inside = lineBehind(body) - body.startPosition.row - (closing === undefined ? 0 : 2);
  const count = `… ${Math.max(1, inside)} ${inside > 1 ? 'lines' : 'line'}`;
  return closing === undefined ? ` ${count}` : ` ${opening} ${count} ${closing}`;
}

/** The head of a container as an item, then an item for each member. */
function open(walk: Walk, { body }: Body, item: Omit<OutlineItem, 'from' | 'to'> & { readonly depth: number }): void {
  const { depth, at, rank, text } = item;
  const isBraced = characterAt(walk, body.startPosition) === '{';
  const to = Math.max(at + 1, body.startPosition.row + Number(isBraced));
  push(walk, { to, at, text: isBraced ? `${text} {` : text, rank });
  for (const member of children(body)) if (!COMMENT.test(member.type)) take(walk, member, depth + 1);
}

function take(walk: Walk, node: SyntaxNode, depth: number): void {
  const found = bodyOf(node);
  const at = node.startPosition.row;
  const indent = '  '.repeat(depth);
  const rank = rankOf(node, found?.owner, depth);
  if (found === undefined || lineBehind(found.body) - found.body.startPosition.row < 2) {
    const text = indent + headText(walk, node.startPosition, node.endPosition);
    push(walk, { to: Math.max(lineBehind(node), at + 1), at, text, rank });
    return;
  }
  const text = indent + headText(walk, node.startPosition, found.body.startPosition);
  const isOpened = CONTAINER.test(found.owner.type) && depth < MAX_DEPTH && children(found.body).length > 0;
  if (isOpened) open(walk, found, { depth, at, text, rank });
  else push(walk, { to: lineBehind(node), at, text: text + foldedBody(walk, found.body), rank });
}

function outline(code: string, root: SyntaxNode): readonly OutlineItem[] | undefined {
  const walk: Walk = { lines: code.split('\n'), items: [], pending: 0 };
  for (const node of children(root)) if (!COMMENT.test(node.type)) take(walk, node, 0);
  const last = walk.items.pop();
  if (last === undefined) return undefined;
  return [...walk.items, { ...last, to: walk.lines.length }];
}

/** Skeletons by the parser of each language; undefined for a language without one, and where a parser fails. */
export function treeSitterSkeleton(parsers: Readonly<Partial<Record<Language, SyntaxParser>>>): Skeleton {
  return (code, language) => {
    const parser = parsers[language];
    if (parser === undefined || code.length > MAX_SOURCE_CHARS) return undefined;
    let tree: ReturnType<SyntaxParser['parse']> | undefined;
    try {
      tree = parser.parse(code);
      return tree === null ? undefined : outline(code, tree.rootNode);
    } catch {
      // A parser is somebody else's code over somebody else's text: whatever it meets, there is the other way.
      return undefined;
    } finally {
      tree?.delete?.();
    }
  };
}
