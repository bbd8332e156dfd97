/** The host's word on a summary before it is made. */
import { describe, expect, it } from 'vitest';
import { ContextError } from '../../src/core/errors.ts';
import type { SummaryOpinion, SummaryPlans } from '../../src/hub/ask-host.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { type Options, TestSession } from '../golden/session.ts';

const tooLong = Object.assign(new Error('400 prompt is too long: 13000 tokens > 12000 maximum'), { status: 400 });

interface Asked {
  readonly about: SummaryPlans[];
  readonly beforeSummary: (about: SummaryPlans) => Promise<SummaryOpinion | undefined>;
}

function host(answer: (times: number) => SummaryOpinion | undefined): Asked {
  const about: SummaryPlans[] = [];
  return {
    about,
    beforeSummary: async (plans) => {
      about.push(plans);
      return answer(about.length);
    },
  };
}

describe.each(wireBuilders)('before a summary, $name', (builder) => {
  const prompts: string[] = [];
  const writer = {
    name: 'stub',
    write: async ({ prompt }: { prompt: string }) => {
      prompts.push(prompt);
      return { text: 'S', stop: 'end' as const };
    },
  };
  const create = (options: Options): TestSession => new TestSession({ builder, writer, ...options }).talk(9, 900);
  const small = { windowTokens: 8_000, maxOutputTokens: 1_000 };
  const layersOf = (turn: { receipt: { layers: readonly { layer: string }[] } }): readonly string[] =>
    turn.receipt.layers.map(({ layer }) => layer);

  it('adds its focus to the one asked for', async () => {
    prompts.length = 0;
    const asked = host(() => ({ focus: 'the failing test' }));
    const session = create(asked);
    session.context.compact({ focus: 'the plan' });
    expect(layersOf(await session.prepare())).toContain('summary');
    expect(asked.about).toEqual([{ trigger: 'manual', focus: 'the plan' }]);
    expect(prompts[0]).toContain('Above all keep what concerns: the plan; the failing test\n');
  });

  it('drops a summary by hand that it blocks, and says so', async () => {
    const asked = host(() => ({ block: 'a deploy is running' }));
    const session = create(asked);
    session.context.compact();
    const turn = await session.prepare();
    expect(layersOf(turn)).toEqual([]);
    expect(turn.receipt.held).toEqual(['summary: manual, held back by the host: a deploy is running']);
    expect(turn.receipt.summary).toBeUndefined();
    await session.prepare();
    await session.send();
    expect((await session.user('go on').prepare()).receipt.held).toEqual([]);
    expect(asked.about).toEqual([{ trigger: 'manual' }]);
  });

  it('asks again at the next call where the threshold is still crossed, once for each', async () => {
    const asked = host((times) => (times === 1 ? { block: 'not now' } : undefined));
    const session = create({ ...small, ...asked }).talk(20, 900);
    const turn = await session.prepare();
    expect(layersOf(turn)).not.toContain('summary');
    expect(turn.receipt.held).toContain('summary: threshold, held back by the host: not now');
    expect(turn.receipt.cause).not.toBe('threshold');
    await session.prepare();
    expect(asked.about).toEqual([{ trigger: 'threshold' }]);
    await session.send();
    expect(layersOf(await session.user('more').prepare())).toContain('summary');
    expect(asked.about).toHaveLength(2);
  });

  it('leaves the last rung to work over the block line', async () => {
    const session = new TestSession({ builder, ...small, ...host(() => ({ block: 'never' })) });
    session.talk(30, 2_000);
    const turn = await session.prepare();
    expect(layersOf(turn)).toContain('fit');
    expect(layersOf(turn)).not.toContain('summary');
    expect(turn.receipt.tokens.head + turn.receipt.tokens.view).toBeLessThanOrEqual(turn.receipt.window.blockTokens);
  });

  it("gives the provider's refusal back where it blocks an overflow's summary", async () => {
    const asked = host(() => ({ block: 'never' }));
    const session = create(asked);
    const before = JSON.stringify(session.context.groups());
    const turn = await session.prepare();
    const failed = await turn.fail(tooLong).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ContextError);
    expect(failed).toMatchObject({ code: 'COMPACTION_BLOCKED', cause: tooLong });
    expect(asked.about).toEqual([{ trigger: 'overflow' }]);
    expect(JSON.stringify(session.context.groups())).toBe(before);
  });

  it('is not asked where the largest parts alone make an overflow fit', async () => {
    const asked = host(() => ({ block: 'never' }));
    const session = new TestSession({ builder, ...asked }).user('go').round('x'.repeat(60_000));
    const bytes = Object.assign(new Error('413 Request exceeds the maximum size'), { status: 413 });
    const turn = await (await session.prepare()).fail(bytes);
    expect(turn && layersOf(turn)).toEqual(['fit']);
    expect(asked.about).toEqual([]);
  });

  it('goes on where the host cannot be asked, and says so', async () => {
    const session = create({ beforeSummary: () => Promise.reject(new Error('hook crashed')) });
    session.context.compact();
    const turn = await session.prepare();
    expect(layersOf(turn)).toContain('summary');
    expect(turn.receipt.held).toEqual(['beforeSummary: the host could not be asked: hook crashed']);
  });

  it('stops at an abort', async () => {
    const abort = new AbortController();
    const session = create({
      beforeSummary: async () => {
        abort.abort();
        return new Promise(() => undefined);
      },
    });
    session.context.compact();
    const request = builder.request([], { toolNames: ['recall'] });
    await expect(session.context.prepare(request, { signal: abort.signal })).rejects.toThrow('abort');
  });

  it('is not asked where no summary is due', async () => {
    const asked = host(() => ({ block: 'never' }));
    await create(asked).send();
    expect(asked.about).toEqual([]);
  });
});
