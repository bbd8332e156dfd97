import { describe, expect, it } from 'vitest';
import { splitShell, unquoted } from '../../src/permissions/shell-parts.ts';

function parts(command: string): string[] {
  return splitShell(command).parts.map(({ text }) => text);
}

describe('splitShell', () => {
  it.each([
    ['npm test', ['npm test']],
    ['a; b && c || d | e |& f & g\nh', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
    ['(a; b)', ['a', 'b']],
    ["echo 'a; b' c", ["echo 'a; b' c"]],
    ['echo "a; b" c', ['echo "a; b" c']],
    ['echo "a\\"; b"', ['echo "a\\"; b"']],
    ['echo a\\; b', ['echo a\\; b']],
    ['a 2>&1 | b', ['a 2>&1', 'b']],
    ['a >&2 & b', ['a >&2', 'b']],
    ['a &> /dev/null; b', ['a &> /dev/null', 'b']],
    ['a 2>&1&b', ['a 2>&1', 'b']],
    ['npm te\\\nst', ['npm test']],
    ['echo a#b; c', ['echo a#b', 'c']],
  ])('%j', (command, expected) => {
    expect(splitShell(command).sure).toBe(true);
    expect(parts(command)).toEqual(expected);
  });

  it.each([
    'a `b`',
    'echo $(a)',
    'a "$(b)"',
    'a "`b`"',
    'a "${b:-$(c)}"',
    'a ${b}',
    "a $'\\x3b'",
    'a $"x"',
    'a $[1]',
    'cat << END\nx\nEND',
    'cat <<< x',
    "a # don't\nrm -rf x # '",
    'a; # b',
    'a \\\n#b',
    "a 'unclosed",
    'a "unclosed',
    'a \\',
    'a\rb',
    'a\x07',
    '$X y',
    '*/evil',
    'g{it,} push',
    '~/bin/x',
  ])('is not sure about %j', (command) => {
    expect(splitShell(command).sure).toBe(false);
  });

  it('still shows what hides behind a comment with a quote', () => {
    expect(parts("a # don't\nrm -rf x # '")).toEqual(['a', 'rm -rf x']);
  });

  it.each([
    ['a > out', true],
    ['a >> out', true],
    ['a >| out', true],
    ['a >& out', true],
    ['a &> out', true],
    ['a <> out', true],
    ['a >out', true],
    ['a > /dev/null/../../etc/x', true],
    ['a > /dev/nullx', true],
    ['a > /dev/null', false],
    ['a 2>/dev/null', false],
    ['a 2>&1', false],
    ['a 2>&-', false],
    ['a >&1x', true],
    ["echo '>' x", false],
    ['a < in', false],
  ])('%j writes a file: %s', (command, writes) => {
    expect(splitShell(command).parts.some(({ writesFile }) => writesFile)).toBe(writes);
  });

  it('is linear', () => {
    for (const piece of ['>', '"', "'", '#', ' #', '$(', '\\', '<', '(', "a'b"]) splitShell(piece.repeat(50_000));
  });
});

describe('unquoted', () => {
  it('shows words as a program sees them', () => {
    expect(unquoted(`s"u"d'o'  l\\s`)).toBe('sudo ls');
    expect(unquoted('su\\\ndo ls')).toBe('sudo ls');
  });
});
