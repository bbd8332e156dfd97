import { describe, expect, it } from 'vitest';
import { previewOf } from '../../src/core/previews/preview.ts';
import { type SyntaxNode, type SyntaxParser, treeSitterSkeleton } from '../../src/skeletons/tree-sitter.ts';

/** A node from where `[row, column]` to where, as web-tree-sitter has them. */
function node(
  type: string,
  place: readonly [number, number, number, number],
  namedChildren: (SyntaxNode | null)[] = [],
): SyntaxNode {
  const [row, column, endRow, endColumn] = place;
  return { type, startPosition: { row, column }, endPosition: { row: endRow, column: endColumn }, namedChildren };
}

// Indented as no formatter would, so that indentation alone would misread it.
const CODE = [
  "import a from 'a';",
  '// says',
  'export class A',
  '  extends B {',
  'one() {',
  '      return 1;',
  '}',
  'two = 2;',
  '}',
  'const f = () => {',
  'return 3;',
  'return 4;',
  '};',
].join('\n');

const TREE = node(
  'program',
  [0, 0, 13, 0],
  [
    node('import_statement', [0, 0, 0, 18]),
    node('comment', [1, 0, 1, 7]),
    node(
      'export_statement',
      [2, 0, 8, 1],
      [
        node(
          'class_declaration',
          [2, 7, 8, 1],
          [
            node('type_identifier', [2, 13, 2, 14]),
            node(
              'class_body',
              [3, 12, 8, 1],
              [
                node('method_definition', [4, 0, 6, 1], [node('statement_block', [4, 6, 6, 1])]),
                node('public_field_definition', [7, 0, 7, 7]),
                null,
              ],
            ),
          ],
        ),
      ],
    ),
    node(
      'lexical_declaration',
      [9, 0, 12, 2],
      [
        node(
          'variable_declarator',
          [9, 6, 12, 1],
          [
            node('identifier', [9, 6, 9, 7]),
            node('arrow_function', [9, 10, 12, 1], [node('statement_block', [9, 16, 12, 1])]),
          ],
        ),
      ],
    ),
  ],
);

function parserOf(rootNode: SyntaxNode): SyntaxParser & { deleted: number } {
  return {
    deleted: 0,
    parse() {
      return { rootNode, delete: () => void (this.deleted += 1) };
    },
  };
}

describe('a skeleton by tree-sitter', () => {
  it('opens containers and leaves bodies out', () => {
    const parser = parserOf(TREE);
    expect(treeSitterSkeleton({ typescript: parser })(CODE, 'typescript')).toEqual([
      { from: 0, to: 1, at: 0, text: "import a from 'a';", rank: 2 },
      { from: 1, to: 4, at: 2, text: 'export class A extends B {', rank: 0 },
      { from: 4, to: 7, at: 4, text: '  one() { … 1 line }', rank: 1 },
      { from: 7, to: 8, at: 7, text: '  two = 2', rank: 3 },
      { from: 8, to: 13, at: 9, text: 'const f = () => { … 2 lines }', rank: 0 },
    ]);
    expect(parser.deleted).toBe(1);
  });

  it('serves previews', () => {
    const code = `${CODE}\n${'\n'.repeat(600)}`;
    const preview = previewOf(code, {
      maxChars: 400,
      path: 'a.ts',
      skeleton: treeSitterSkeleton({ typescript: parserOf(TREE) }),
    });
    expect(preview?.text.split('\n').slice(1)).toEqual([
      " 1: import a from 'a';",
      ' 3: export class A extends B {',
      ' 5:   one() { … 1 line }',
      ' 8:   two = 2',
      '10: const f = () => { … 2 lines }',
    ]);
  });

  it('has none for a language without a parser, for an empty tree, and where the parser throws', () => {
    const broken: SyntaxParser = {
      parse() {
        throw new Error('out of memory');
      },
    };
    const skeleton = treeSitterSkeleton({
      go: broken,
      rust: { parse: () => null },
      java: parserOf(node('program', [0, 0, 0, 0])),
    });
    expect(skeleton('x', 'python')).toBeUndefined();
    expect(skeleton('x', 'go')).toBeUndefined();
    expect(skeleton('x', 'rust')).toBeUndefined();
    expect(skeleton('x', 'java')).toBeUndefined();
  });

  it('is not asked about a source of more than a million characters', () => {
    let asked = 0;
    const parser: SyntaxParser = {
      parse() {
        asked += 1;
        return null;
      },
    };
    expect(treeSitterSkeleton({ go: parser })('x'.repeat(1_000_001), 'go')).toBeUndefined();
    expect(asked).toBe(0);
  });
});
