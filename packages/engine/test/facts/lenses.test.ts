/** Lenses by tables of literal calls. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact, Lens, Outcome } from '../../src/core/lens.ts';
import { claudeCode } from '../../src/core/lenses/claude-code.ts';
import { defaultLens } from '../../src/core/lenses/default.ts';
import { generic } from '../../src/core/lenses/generic.ts';
import { ours } from '../../src/core/lenses/ours.ts';
import { pi } from '../../src/core/lenses/pi.ts';

const END = Number.POSITIVE_INFINITY;

type Row = readonly [name: string, input: unknown, fact: Fact];

function check(lens: Lens, rows: readonly Row[]): void {
  describe(lens.name, () => {
    it.each(rows)('reads %s %j', (name, input, fact) => {
      expect(lens.call(name, input)).toEqual(fact);
    });
  });
}

check(ours, [
  ['read_file', { path: 'a.ts' }, { kind: 'read', path: 'a.ts' }],
  ['read_file', { path: 'a.ts', limit: 20 }, { kind: 'read', path: 'a.ts', lines: { from: 1, to: 20 } }],
  ['read_file', { path: 'a.ts', offset: 20, limit: 5 }, { kind: 'read', path: 'a.ts', lines: { from: 21, to: 25 } }],
  ['read_file', { path: 'a.ts', offset: '20' }, { kind: 'read', path: 'a.ts', lines: { from: 21, to: END } }],
  ['read_file', { path: 'a.ts', offset: -3, limit: null }, { kind: 'read', path: 'a.ts' }],
  ['write_file', { path: 'b.ts', content: 'x' }, { kind: 'wrote', path: 'b.ts' }],
  ['edit_file', { path: 'c.ts', old_text: 'x', new_text: 'y' }, { kind: 'edited', path: 'c.ts' }],
  ['bash', { command: 'npm test' }, { kind: 'ran', command: 'npm test' }],
  ['glob', { pattern: '**/*.ts' }, { kind: 'searched', query: '**/*.ts' }],
  ['grep', { pattern: 'TODO', path: 'src' }, { kind: 'searched', query: 'TODO', path: 'src' }],
  ['todo_write', { todos: [] }, { kind: 'called', name: 'todo_write' }],
  ['read_file', {}, { kind: 'called', name: 'read_file' }],
  ['read_file', null, { kind: 'called', name: 'read_file' }],
  ['constructor', {}, { kind: 'called', name: 'constructor' }],
]);

check(claudeCode, [
  ['Read', { file_path: '/a.ts' }, { kind: 'read', path: '/a.ts' }],
  [
    'Read',
    { file_path: '/a.ts', offset: 100, limit: 50 },
    { kind: 'read', path: '/a.ts', lines: { from: 100, to: 149 } },
  ],
  ['Write', { file_path: '/a.ts', content: '' }, { kind: 'wrote', path: '/a.ts' }],
  ['Edit', { file_path: '/a.ts', old_string: 'x', new_string: 'y' }, { kind: 'edited', path: '/a.ts' }],
  ['MultiEdit', { file_path: '/a.ts', edits: [] }, { kind: 'edited', path: '/a.ts' }],
  ['NotebookEdit', { notebook_path: '/a.ipynb', new_source: '' }, { kind: 'edited', path: '/a.ipynb' }],
  ['Bash', { command: 'ls', description: 'Lists' }, { kind: 'ran', command: 'ls' }],
  ['Grep', { pattern: 'x', path: '/src' }, { kind: 'searched', query: 'x', path: '/src' }],
  ['Glob', { pattern: '*.md' }, { kind: 'searched', query: '*.md' }],
  ['LS', { path: '/src' }, { kind: 'searched', query: '*', path: '/src' }],
  ['WebFetch', { url: 'https://a.b/c', prompt: '?' }, { kind: 'fetched', url: 'https://a.b/c' }],
  ['WebSearch', { query: 'vitest' }, { kind: 'searched', query: 'vitest' }],
  ['Task', { prompt: 'x' }, { kind: 'called', name: 'Task' }],
]);

check(pi, [
  ['read', { path: '/a', offset: 1, limit: 120 }, { kind: 'read', path: '/a', lines: { from: 1, to: 120 } }],
  ['read', { path: '/a' }, { kind: 'read', path: '/a' }],
  ['write', { path: '/a', content: '' }, { kind: 'wrote', path: '/a' }],
  ['edit', { path: '/a', oldText: 'x', newText: 'y' }, { kind: 'edited', path: '/a' }],
  ['bash', { command: 'ls' }, { kind: 'ran', command: 'ls' }],
  ['ls', {}, { kind: 'searched', query: '*' }],
]);

const PATCH = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** Add File: b.md\n+z\n*** End Patch';

check(generic, [
  ['mcp__files__readFile', { path: 'a' }, { kind: 'read', path: 'a' }],
  ['view', { filePath: 'a', start_line: 3, end_line: 9 }, { kind: 'read', path: 'a', lines: { from: 3, to: 9 } }],
  ['open_file', { path: 'file:///x/y' }, { kind: 'read', path: '/x/y' }],
  ['save-file', { filename: 'a', contents: '' }, { kind: 'wrote', path: 'a' }],
  ['editor', { path: 'a', old_text: 'x', new_text: 'y' }, { kind: 'edited', path: 'a' }],
  ['fs', { path: 'a', content: 'x' }, { kind: 'wrote', path: 'a' }],
  [
    'str_replace_based_edit_tool',
    { command: 'view', path: 'a', view_range: [5, -1] },
    { kind: 'read', path: 'a', lines: { from: 5, to: END } },
  ],
  ['str_replace_editor', { command: 'create', path: 'a', file_text: '' }, { kind: 'wrote', path: 'a' }],
  ['str_replace_editor', { command: 'str_replace', path: 'a', old_str: 'x' }, { kind: 'edited', path: 'a' }],
  [
    'read_files',
    { files: [{ path: 'a', start_line: 1, end_line: 45 }, { path: 'b' }, 'c'] },
    { kind: 'read', path: 'a', lines: { from: 1, to: 45 }, also: [{ path: 'b' }, { path: 'c' }] },
  ],
  ['apply_patch', { input: PATCH }, { kind: 'edited', path: 'src/a.ts', also: [{ path: 'b.md' }] }],
  ['apply_patch', PATCH, { kind: 'edited', path: 'src/a.ts', also: [{ path: 'b.md' }] }],
  ['run_commands', { commands: ['a', 'b'] }, { kind: 'ran', command: 'a\nb' }],
  ['shell', { command: ['bash', '-lc', 'ls -l'] }, { kind: 'ran', command: 'ls -l' }],
  ['exec', { cmd: 'ls' }, { kind: 'ran', command: 'ls' }],
  ['browse', { url: 'https://a.b' }, { kind: 'fetched', url: 'https://a.b' }],
  ['search_files', { path: 'src', regex: 'x' }, { kind: 'searched', query: 'x', path: 'src' }],
  ['list_dir', { path: 'src' }, { kind: 'searched', query: '*', path: 'src' }],
  ['get_user', { user_id: 'mia_li_3668' }, { kind: 'called', name: 'get_user' }],
  ['think', 'just words', { kind: 'called', name: 'think' }],
  ['delete', { path: 'a' }, { kind: 'called', name: 'delete' }],
]);

check(defaultLens, [
  ['read_file', { path: 'a', offset: 10 }, { kind: 'read', path: 'a', lines: { from: 11, to: END } }],
  ['Read', { file_path: 'a', offset: 10 }, { kind: 'read', path: 'a', lines: { from: 10, to: END } }],
  ['read', { filePath: 'a' }, { kind: 'read', path: 'a' }],
  ['bash', { command: 'ls' }, { kind: 'ran', command: 'ls' }],
  [
    'bash',
    { command: 'cat a.ts' },
    { kind: 'ran', command: 'cat a.ts', prints: { paths: ['a.ts'], isVerbatim: true } },
  ],
  ['grep_search', { query: 'x' }, { kind: 'searched', query: 'x' }],
]);

describe('outcomes', () => {
  const ran: Fact = { kind: 'ran', command: 'x' };
  const read: Fact = { kind: 'read', path: 'a' };
  const rows: readonly (readonly [tool: string, fact: Fact, text: string, isError: boolean, outcome: Outcome])[] = [
    ['bash', ran, 'done', false, { isError: false }],
    ['bash', ran, 'boom\n(exit code 1)', true, { isError: true, exitCode: 1 }],
    ['bash', ran, 'boom\n(exit code 2)', false, { isError: true, exitCode: 2 }],
    [
      'bash',
      ran,
      '(timed out after 120 s; the command and everything it started were ended)',
      false,
      { isError: true },
    ],
    ['bash', ran, 'x\n\n\nCommand exited with code 1', true, { isError: true, exitCode: 1 }],
    ['bash', ran, 'Command aborted', true, { isError: true }],
    ['bash', ran, 'it prints (exit code 1) in the middle\nand goes on', false, { isError: false }],
    ['Bash', ran, 'Exit code 127\nnot found', true, { isError: true, exitCode: 127 }],
    ['shell', ran, 'Exit code: 0\nWall time: 1 s\nOutput:\nx', false, { isError: false, exitCode: 0 }],
    ['edit_file', { kind: 'edited', path: 'a' }, 'edit_file: "old_text" does not occur in a', false, { isError: true }],
    ['edit_file', { kind: 'edited', path: 'a' }, 'edited a at line 3', false, { isError: false }],
    [
      'read_file',
      read,
      '(Unchanged: a is on disk as you read it before, and the result of that read_file call, with lines 1 to 2 of 2, is still above. They are not repeated here.)',
      false,
      { isError: false, lastLine: 0 },
    ],
    ['Read', read, 'File unchanged since last read. The content is current.', false, { isError: false, lastLine: 0 }],
    ['Read', read, '     1→a\n     2→b', false, { isError: false }],
    ['Read', read, `  1999→a\n  2000→b\n\n(a reminder)`, false, { isError: false, lastLine: 2000 }],
    [
      'read',
      read,
      'x\n\n[Showing lines 1-1603 of 2377 (50.0KB limit). Use offset=1604 to continue]',
      false,
      { isError: false, lastLine: 1603 },
    ],
  ];

  it.each(rows)('%s, %j: %j', (name, fact, text, isError, outcome) => {
    expect(defaultLens.outcome?.(fact, { name, text, isError })).toEqual(outcome);
  });
});

describe('whatever the input', () => {
  const lenses = [ours, claudeCode, pi, generic, defaultLens];
  const names = fc.constantFrom('read_file', 'Read', 'bash', 'grep', 'mcp__x__writeFile', 'apply_patch', '__proto__');
  const fields = fc.constantFrom('path', 'file_path', 'command', 'offset', 'files', 'view_range', 'input', 'commands');
  const input = fc.oneof(fc.anything(), fc.dictionary(fields, fc.anything()));

  it('no lens throws', () => {
    fc.assert(
      fc.property(fc.oneof(names, fc.string()), input, fc.string(), (name, value, text) => {
        for (const lens of lenses) {
          const fact = lens.call(name, value);
          expect(typeof lens.outcome?.(fact, { name, text, isError: false }).isError).toBe('boolean');
        }
      }),
    );
  });
});
