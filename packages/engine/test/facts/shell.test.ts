/** What commands show of files, by their words. */
import { describe, expect, it } from 'vitest';
import { printsOf } from '../../src/core/lenses/shell.ts';

const whole = (...paths: readonly string[]) => ({ paths, isVerbatim: true });
const some = (...paths: readonly string[]) => ({ paths, isVerbatim: false });

const ROWS: readonly (readonly [command: string, shown: ReturnType<typeof printsOf>])[] = [
  ['cat a.ts', whole('a.ts')],
  ['cat src/a.ts "my notes.md"', whole('src/a.ts', 'my notes.md')],
  ["sed -n '11,93p' queue/policy.go", whole('queue/policy.go')],
  ["sed -n -e '1,5p;9p' a.go", whole('a.go')],
  ['head -n 20 a.ts', whole('a.ts')],
  ['head -20 a.ts && tail -n +5 b.ts', whole('a.ts', 'b.ts')],
  ['cd packages/core && cat a.ts', whole('a.ts')],
  ['echo "--- a"; cat a.ts; echo; cat b.ts 2>/dev/null', whole('a.ts', 'b.ts')],
  ['cat a.ts | head -50', some('a.ts')],
  ['grep -n "needle thing" src/a.ts src/b.ts', some('src/a.ts', 'src/b.ts')],
  ['grep -in needle src/a.ts | head', some('src/a.ts')],
  ["awk 'NR>3' a.csv", some('a.csv')],
  ['cat a.ts && npm test', some('a.ts')],
  ['grep -rn needle src/', undefined],
  ['cat *.ts', undefined],
  ['cat $FILE', undefined],
  ['cat "$(git ls-files | head -1)"', undefined],
  ['cat a.ts > b.ts', undefined],
  ["cat > b.ts <<'EOF'\nx\nEOF", undefined],
  ["sed -i 's/a/b/' a.ts", undefined],
  ["sed -Ei 's/a/b/' a.ts", undefined],
  ['npm test', undefined],
  ['ls -l src', undefined],
  ['', undefined],
  [`cat ${'a'.repeat(2_000)}.ts`, undefined],
];

describe('what a command shows of files', () => {
  it.each(ROWS)('%s', (command, shown) => {
    expect(printsOf(command)).toEqual(shown);
  });

  it('takes no time over a long line of quotes and blanks', () => {
    const startMs = performance.now();
    for (const text of ['"', "'", '\\', 'sed ', '| ', '&&', 'a"b']) printsOf(`cat ${text.repeat(900 / text.length)}`);
    expect(performance.now() - startMs).toBeLessThan(500);
  });
});
