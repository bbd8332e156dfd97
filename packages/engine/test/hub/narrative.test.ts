/** A model's summaries over generations: merged, not nested, and written from the messages again after a few. */
import { describe, expect, it } from 'vitest';
import type { WriterRequest } from '../../src/core/summary/writer.ts';
import { isEpoch } from '../../src/core/edit.ts';
import { type Options, TestSession } from '../golden/session.ts';

const LONG = 'word '.repeat(2_000);

interface Told {
  readonly session: TestSession;
  readonly prompts: readonly string[];
}

/** So many manual summaries, a stretch of conversation before each. Those numbered in `failing` get no text from the model. */
async function summaries(count: number, failing: readonly number[] = [], options: Options = {}): Promise<Told> {
  const prompts: string[] = [];
  let made = 0;
  const write = async ({ prompt }: WriterRequest) => {
    if (failing.includes(made)) return { text: '', stop: 'end' as const };
    prompts.push(prompt);
    return { text: `NARRATIVE ${made}: all is well.`, stop: 'end' as const };
  };
  const session = new TestSession({ writer: { name: 'stub', write }, ...options });
  for (; made < count; made += 1) {
    session.user(`Task ${made}.`).round(`FINDING ${made} ${LONG}`).assistant(`Done with ${made}.`).user('go on');
    session.context.compact();
    await session.send();
  }
  return { session, prompts };
}

const countOf = (text: string, part: string): number => text.split(part).length - 1;

describe('the request for the next summary', () => {
  it('holds the narrative so far once, what is new, and no facts of code', async () => {
    const { prompts } = await summaries(3);
    const [first = '', second = '', third = ''] = prompts;
    expect(first).not.toContain('summary-so-far');
    expect(countOf(second, 'NARRATIVE 0')).toBe(1);
    expect(second).toContain('<summary-so-far>\n"NARRATIVE 0: all is well."\n</summary-so-far>');
    expect(second).toContain('FINDING 1');
    expect(second).not.toContain('FINDING 0');
    expect(second).not.toContain('Added by code');
    expect([countOf(third, 'NARRATIVE 0'), countOf(third, 'NARRATIVE 1')]).toEqual([0, 1]);
  });

  it('goes back to the messages after four generations', async () => {
    const { session, prompts } = await summaries(6);
    const [, , , fourth = '', fifth = '', sixth = ''] = prompts;
    expect(countOf(fourth, 'NARRATIVE 2')).toBe(1);
    expect(fifth).not.toContain('NARRATIVE');
    for (let i = 0; i < 5; i += 1) expect(fifth).toContain(`FINDING ${i}`);
    expect(countOf(sixth, 'NARRATIVE 4')).toBe(1);
    const made = session.context.groups().flatMap((group) => (isEpoch(group) ? group.edits : []));
    expect(
      made.flatMap((edit) =>
        edit.kind === 'range' && edit.narrative !== undefined ? [edit.narrative.generation] : [],
      ),
    ).toEqual([1, 2, 3, 4, 1, 2]);
  });

  it('reads the messages where a summary by code stands for them', async () => {
    const { prompts } = await summaries(3, [1]);
    const [, third = ''] = prompts;
    expect(third).not.toContain('NARRATIVE');
    for (let i = 0; i < 3; i += 1) expect(third).toContain(`FINDING ${i}`);
  });

  it('says what code knows of the middle where the messages do not fit', async () => {
    const { prompts } = await summaries(
      40,
      [0, 1, 2, 3, 4].map((i) => i * 8),
      { windowTokens: 40_000 },
    );
    const rebuilt = prompts.find((prompt) => prompt.includes('messages left out; what code knows of them:)')) ?? '';
    expect(rebuilt).toMatch(/Messages of the user:\n(?:- "go on"\n)?- "Task \d+\."/);
    expect(rebuilt.length).toBeLessThan(20_000);
  });

  it('is the same after a restart', async () => {
    const { session, prompts } = await summaries(2);
    const snapshot = session.context.snapshot();
    const groups = JSON.parse(JSON.stringify(snapshot)) as typeof snapshot;
    expect(groups.groups).toEqual(snapshot.groups);
    expect(prompts.length).toBe(2);
  });
});

describe('a narrative beside older messages of the user', () => {
  it('is found behind them', async () => {
    const { economicPolicy } = await import('../../src/core/policies/economic.ts');
    const { session, prompts } = await summaries(2, [], { policy: economicPolicy() });
    expect(prompts[1]).toContain('<summary-so-far>\n"NARRATIVE 0: all is well."');
    const [, edit] = session.context
      .groups()
      .flatMap((group) => (isEpoch(group) ? group.edits.filter(({ layer }) => layer === 'summary') : []));
    expect(edit).toMatchObject({ narrative: { from: 0, chars: 'NARRATIVE 1: all is well.'.length, generation: 2 } });
  });
});
