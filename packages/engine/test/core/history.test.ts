import { describe, expect, it } from 'vitest';
import { openaiChatBuilder } from '../../src/testing/wire-builder.ts';
import { build, call, historyOf, result } from './support.ts';

const faults = (...messages: object[]): readonly string[] =>
  historyOf(messages)
    .faults()
    .map(({ kind, at, part }) => `${kind} ${at}.${part}`);

describe('rounds', () => {
  it('hold a call message and all its results together', () => {
    const history = historyOf([build.user('go'), call('a', 'b'), result('a', 'b'), build.assistant({ text: 'done' })]);
    expect([0, 1, 2, 3, 4].map((index) => history.canCut(index))).toEqual([true, true, false, true, true]);
    expect([history.cutBefore(2), history.cutAfter(2)]).toEqual([1, 3]);
  });

  it('reach over results in several messages, as Chat Completions has them', () => {
    const calls = [
      { id: 'a', name: 'x', input: {} },
      { id: 'b', name: 'x', input: {} },
    ];
    const results = openaiChatBuilder.results(
      [
        { callId: 'a', text: '1' },
        { callId: 'b', text: '2' },
      ],
      'and a word',
    );
    const history = historyOf(
      [openaiChatBuilder.user('go'), openaiChatBuilder.assistant({ calls }), ...results],
      openaiChatBuilder,
    );
    expect([1, 2, 3, 4].map((index) => history.canCut(index))).toEqual([true, false, false, true]);
  });

  it('that wait for results cannot be cut behind', () => {
    const history = historyOf([build.user('go'), call('a', 'b'), result('a')]);
    expect(history.canCut(history.length)).toBe(false);
    expect(history.cutBefore(history.length)).toBe(1);
  });

  it('are ended by anything that answers none of their calls, which is evidence of the cut', () => {
    const history = historyOf([build.user('go'), call('a'), build.user('never mind')]);
    expect(history.canCut(2)).toBe(true);
    expect(history.isForcedCut(2)).toBe(true);
  });
});

describe('faults of the caller', () => {
  it('none in a sound history', () => {
    expect(faults(build.user('go'), call('a', 'b'), result('a', 'b'), build.assistant({ text: 'ok' }))).toEqual([]);
  });

  it.each([
    [
      'a call without a result',
      [build.user('go'), call('a', 'b'), result('a'), build.user('x')],
      ['unanswered-call 1.1'],
    ],
    ['calls open at the end', [build.user('go'), call('a', 'b')], ['unanswered-call 1.0', 'unanswered-call 1.1']],
    ['a result without a call', [build.user('go'), result('z')], ['orphan-result 1.0']],
    [
      'a result one message too late',
      [build.user('go'), call('a'), build.user('x'), result('a')],
      ['unanswered-call 1.0', 'orphan-result 3.0'],
    ],
    ['two results of one call', [build.user('go'), call('a'), result('a', 'a')], ['duplicate-result 2.1']],
    [
      'an id used before',
      [build.user('go'), call('a'), result('a'), call('a'), result('a')],
      ['duplicate-call 3.0', 'orphan-result 4.0'],
    ],
    ['an id twice in one message', [build.user('go'), call('a', 'a'), result('a')], ['duplicate-call 1.1']],
    ['an empty text', [build.user(' \n')], ['empty-text 0.0']],
    ['no content', [{ role: 'user', content: [] }], ['no-content 0.-1']],
    [
      'nothing but reasoning',
      [build.user('go'), { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }] }],
      ['no-content 1.-1'],
    ],
  ])('%s', (_, messages, expected) => {
    expect(faults(...messages)).toEqual(expected);
  });
});

describe('what is derived', () => {
  it('the newest user message is the newest with words or pictures of the user', () => {
    const messages = [build.user('go'), call('a'), result('a'), build.user('  ')];
    expect(historyOf(messages).newestUser).toBe(0);
    expect(historyOf([...messages, build.user('', 'aGk=')]).newestUser).toBe(4);
  });

  it('messages of the host are barriers', () => {
    expect(historyOf([build.user('go'), build.host('rule'), build.assistant({ text: 'ok' })]).barriersIn(0, 3)).toEqual(
      [1],
    );
  });
});
