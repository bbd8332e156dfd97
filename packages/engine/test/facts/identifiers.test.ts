import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdentifierIndex, identifiersOf } from '../../src/core/facts/identifiers.ts';
import { scanIdentifiers } from '../../src/core/facts/scan-identifiers.ts';
import type { History } from '../../src/core/history.ts';
import { Rounds } from './calls.ts';

function namesIn(text: string): readonly string[] {
  const names: string[] = [];
  scanIdentifiers(text, (from, to) => names.push(text.slice(from, to)));
  return names;
}

describe('names in a text', () => {
  const rows: readonly (readonly [text: string, names: readonly string[]])[] = [
    ['a plain sentence about nothing in particular', []],
    ['const agentSession = new AgentSession(snake_case_name)', ['agentSession', 'AgentSession', 'snake_case_name']],
    ['HTTPServer README CONSTANT', ['HTTPServer'].filter((name) => /[a-z][A-Z]/.test(name))],
    ['MAX_TOKENS HAT136 abc12 x1y2z3', ['MAX_TOKENS', 'HAT136', 'x1y2z3']],
    ['see packages/engine/src/index.ts.', ['packages/engine/src/index.ts']],
    ['at src/a-b.test.ts:12:5)', ['src/a-b.test.ts']],
    ['"./lib/util.js" and \'../x/y.css\'', ['./lib/util.js', '../x/y.css']],
    ['+import { a } from "@scope/some-package/sub";', ['@scope/some-package/sub']],
    ['- /usr/local/bin/node', ['/usr/local/bin/node']],
    ['</ThemeProvider> // comment/with slash', ['ThemeProvider', 'comment/with']],
    [
      'https://example.com/a/b?c=d#e, http://localhost:3000/.',
      ['https://example.com/a/b?c=d#e', 'http://localhost:3000'],
    ],
    ['on localhost:8080 and 127.0.0.1:5432', ['localhost:8080', '127.0.0.1:5432']],
    ['commit 3fa9c21d and order 7504069', ['3fa9c21d', '7504069']],
    ['id 0db2eb3b-5ed8-4b70-88c6-a3f7104eb251', ['0db2eb3b-5ed8-4b70-88c6-a3f7104eb251', '0db2eb3b', 'a3f7104eb251']],
    ['version 0.14.2-beta of gpt-4o-mini', ['0.14.2-beta', 'gpt-4o-mini']],
    ['2024/12/08 1/2/3/4 ../../', []],
    ['this.agentState.isRunning', ['agentState', 'isRunning']],
    ['größeÄndern', []],
    [`${'A'.repeat(100)}1`, []],
    ['a://b', []],
    ['', []],
  ];

  it.each(rows)('%j', (text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it('are slices of it, in order, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'aB1_/.:-@ "<') })),
        (text) => {
          let before = 0;
          scanIdentifiers(text, (from, to) => {
            expect(from).toBeGreaterThanOrEqual(0);
            expect(to - from).toBeGreaterThanOrEqual(6);
            expect(to).toBeLessThanOrEqual(text.length);
            expect(to).toBeGreaterThanOrEqual(before);
            before = from;
          });
        },
      ),
    );
  });
});

/** Names by what they count, the most first. */
function ranking(history: History): readonly string[] {
  return [...identifiersOf(history).all()].sort((a, b) => b.score - a.score).map(({ text }) => text);
}

describe('names of a history', () => {
  it('count more where the model wrote them than where a tool printed them', () => {
    const { history } = new Rounds().user('go').read('src/asked.ts', 'printedName');
    expect(ranking(history)).toEqual(['src/asked.ts', 'printedName']);
  });

  it('count once for each part they stand in', () => {
    const { history } = new Rounds()
      .ran('x', 'often_here often_here often_here')
      .ran('y', 'twice_there')
      .ran('z', 'twice_there');
    expect(ranking(history)).toEqual(['twice_there', 'often_here']);
  });

  it('fade', () => {
    const { history } = new Rounds()
      .ran('x', 'old_name')
      .ran('x', 'old_name')
      .ran('x', 'word '.repeat(60_000))
      .ran('x', 'new_name');
    expect(ranking(history)).toEqual(['new_name', 'old_name']);
  });

  it('know the newest entry they stand in', () => {
    const { history } = new Rounds().user('some_name').says('some_name').user('other_name');
    expect([...identifiersOf(history).all()].map(({ text, entry }) => [text, entry])).toEqual([
      ['some_name', 1],
      ['other_name', 2],
    ]);
  });

  it('are the same read bit by bit and at once', () => {
    const names = fc.constantFrom('nameOne', 'name_two', 'src/three.ts', 'four44four', 'plain');
    const step = fc.record({ words: fc.array(names, { maxLength: 4 }), isCall: fc.boolean(), isAsked: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const rounds = new Rounds();
        for (const { words, isCall, isAsked } of steps) {
          if (isCall) rounds.ran(words.join(' '), words.toReversed().join(' '));
          else rounds.user(words.join(' '));
          if (isAsked) identifiersOf(rounds.history);
        }
        const whole = new IdentifierIndex(rounds.history).extend();
        expect([...identifiersOf(rounds.history).all()]).toEqual([...whole.all()]);
      }),
    );
  });

  it('that were not seen for longest are let go', () => {
    const many = (from: number): string => Array.from({ length: 40_000 }, (_, i) => `name_${from + i}`).join(' ');
    const { history } = new Rounds().user('first_name').user(many(0)).user(many(40_000));
    const kept = new Set([...identifiersOf(history).all()].map(({ text }) => text));
    expect(kept.size).toBeLessThanOrEqual(65_536);
    expect([kept.has('first_name'), kept.has('name_79999')]).toEqual([false, true]);
  });
});
