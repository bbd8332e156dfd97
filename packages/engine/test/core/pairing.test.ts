/** Rounds entry by entry: where they start, who answers whom, what they leave open. */
import { describe, expect, it } from 'vitest';
import { codePointTokens } from '../../src/core/estimate.ts';
import { createPairing, type Joined, type Pairing } from '../../src/core/pairing.ts';
import { entryOf } from '../../src/hub/session.ts';
import { build, call, result } from './support.ts';

function follow(messages: readonly object[], pairing: Pairing = createPairing()): readonly Joined[] {
  return messages.map((message, index) => pairing.append(entryOf(message, build.codec, codePointTokens), index));
}

describe('a round', () => {
  it('starts at its calls and takes in what answers them, part by part', () => {
    const [answered = {}] = build.results(
      [
        { callId: 'a', text: 'one' },
        { callId: 'z', text: 'nobody asked' },
        { callId: 'b', text: 'two' },
      ],
      'and words',
    );
    expect(
      follow([build.user('go'), call('a', 'b'), answered, build.assistant({ text: 'done' }), build.user('x')]),
    ).toEqual([
      { start: 0, answers: [] },
      { start: 1, answers: [] },
      { start: 1, answers: [0, 2] },
      { start: 3, answers: [] },
      { start: 4, answers: [] },
    ]);
  });

  it('is open until all of its calls are answered', () => {
    const pairing = createPairing();
    follow([build.user('go'), call('a', 'b')], pairing);
    expect(pairing.openStart()).toBe(1);
    pairing.append(entryOf(result('a'), build.codec, codePointTokens), 2);
    expect(pairing.openStart()).toBe(1);
    pairing.append(entryOf(result('b'), build.codec, codePointTokens), 3);
    expect(pairing.openStart()).toBeUndefined();
  });

  it('is ended by what comes while calls are open, and by nothing else', () => {
    const pairing = createPairing();
    follow([call('a'), result('a'), build.user('next'), call('b'), build.user('never mind'), build.user('x')], pairing);
    expect([0, 1, 2, 3, 4, 5].map((index) => pairing.endsOpenRound(index))).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
    ]);
    expect(pairing.faults()).toEqual([{ kind: 'unanswered-call', at: 3, part: 0 }]);
  });
});
