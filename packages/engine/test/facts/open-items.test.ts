import { describe, expect, it } from 'vitest';
import { openItems } from '../../src/core/facts/open-items.ts';
import { defaultLens } from '../../src/core/lenses/default.ts';
import { historyOf } from '../core/support.ts';
import { anthropicBuilder as wire } from '../../src/testing/wire-builder.ts';

let next = 0;

function call(name: string, input: object, text = 'ok'): readonly object[] {
  next += 1;
  const id = `c${next}`;
  return [wire.assistant({ calls: [{ id, name, input }] }), ...wire.results([{ callId: id, text }])];
}

function open(...calls: readonly (readonly object[])[]): readonly string[] {
  const history = historyOf([wire.user('go'), ...calls.flat()], wire);
  return openItems(history, defaultLens, history.length).flatMap(({ path, lines }) => [path, ...lines]);
}

const PLAN = '# Plan\n\n## One\n- [ ] parse\n- [ ] check\n\n## Two\n- [ ] print\n- [ ] check\n';
const written = call('write_file', { path: 'plan.md', content: PLAN });
const edit = (old_text: string, new_text: string, result = 'ok'): readonly object[] =>
  call('edit_file', { path: 'plan.md', old_text, new_text }, result);

describe('open items', () => {
  it('are the boxes a written plan leaves unticked, under their headings', () => {
    expect(open(written)).toEqual([
      'plan.md',
      '## One',
      '- [ ] parse',
      '- [ ] check',
      '## Two',
      '- [ ] print',
      '- [ ] check',
    ]);
  });

  it('lose what an edit ticks, and tell equal items apart by what stands beside them', () => {
    const ticked = edit('- [ ] print\n- [ ] check', '- [x] print\n- [x] check');
    expect(open(written, ticked)).toEqual(['plan.md', '## One', '- [ ] parse', '- [ ] check']);
  });

  it('keep their heading where an edit shows none', () => {
    expect(open(written, edit('- [ ] print', '- [ ] print in colour'))).toEqual([
      'plan.md',
      '## One',
      '- [ ] parse',
      '- [ ] check',
      '## Two',
      '- [ ] print in colour',
      '- [ ] check',
    ]);
  });

  it('are opened again by an edit that takes the tick away', () => {
    const plan = call('write_file', { path: 'plan.md', content: '- [x] done\n' });
    expect(open(plan, edit('- [x] done', '- [ ] done'))).toEqual(['plan.md', '- [ ] done']);
  });

  it('go with a file that is written anew', () => {
    expect(open(written, call('write_file', { path: 'plan.md', content: 'nothing left\n' }))).toEqual([]);
  });

  it('are read off a numbered listing too', () => {
    expect(open(call('read_file', { path: 'todo.md' }, '1\t# Todo\n2\t- [ ] first\n3\t- [x] second\n'))).toEqual([
      'todo.md',
      '# Todo',
      '- [ ] first',
    ]);
  });

  it('of several files come with the one worked on last first', () => {
    const other = call('write_file', { path: 'b.md', content: '- [ ] b\n' });
    const first = call('write_file', { path: 'a.md', content: '- [ ] a\n' });
    expect(open(first, other)).toEqual(['b.md', '- [ ] b', 'a.md', '- [ ] a']);
  });

  it('are the same asked bit by bit, at once, and about an earlier place', () => {
    const rounds = [
      written,
      edit('- [ ] print', '- [x] print'),
      call('read_file', { path: 'b.md' }, '- [ ] b\n- [ ] c\n'),
      edit('- [ ] parse', '- [x] parse'),
      call('edit_file', { path: 'b.md', old_text: '- [ ] b', new_text: '- [x] b' }),
    ];
    const messages = [wire.user('go'), ...rounds.flat()];
    const grown = historyOf(messages.slice(0, 1), wire);
    const whole = historyOf(messages, wire);
    const at: unknown[] = [];
    for (let length = 1; length <= messages.length; length += 1) {
      if (length > 1) grown.append(whole.at(length - 1));
      at.push(openItems(grown, defaultLens, length));
    }
    expect(at.at(-1)).toMatchObject([
      { path: 'b.md', lines: ['- [ ] c'] },
      { path: 'plan.md', lines: ['## One', '- [ ] check', '## Two', '- [ ] check'] },
    ]);
    for (let length = messages.length; length > 0; length -= 1)
      expect(openItems(whole, defaultLens, length)).toEqual(at[length - 1]);
  });

  it('are no more than a plan has', () => {
    const many = Array.from({ length: 3_000 }, (_, i) => `- [ ] item ${i}`).join('\n');
    const lines = open(
      call('read_file', { path: 'a.md', limit: 3_000 }, many),
      call('read_file', { path: 'a.md', limit: 9 }, many),
    );
    expect(lines.length).toBe(501);
  });
});
