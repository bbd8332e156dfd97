/** State items beside a summary: what the host restores, frozen into the epoch. */
import { describe, expect, it } from 'vitest';
import type { StateItem } from '../../src/core/summary/state.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { messagesOf, type Options, TestSession, textsOf } from '../golden/session.ts';

const stub = { name: 'stub', write: async () => ({ text: 'The story so far.', stop: 'end' as const }) };
const item = (name: string, text: string, more: Partial<StateItem> = {}): StateItem => ({
  name,
  text,
  maxTokens: 1_000,
  rank: 1,
  ...more,
});
const PLAN = item('plan', '- [x] read\n- [ ] write');

function port(...answers: readonly (readonly StateItem[])[]): {
  asks: number;
  state: () => Promise<readonly StateItem[]>;
} {
  const asked = {
    asks: 0,
    state: async () => {
      asked.asks += 1;
      return answers[Math.min(asked.asks, answers.length) - 1] ?? [];
    },
  };
  return asked;
}

describe.each(wireBuilders)('state beside a summary, $name', (builder) => {
  const compacted = (options: Options): TestSession => {
    const session = new TestSession({ builder, writer: stub, ...options }).talk(9, 900);
    session.context.compact();
    return session;
  };

  it('stands after the words and before the newest user message, quoted as data', async () => {
    const turn = await compacted({ state: port([PLAN]).state }).prepare();
    const texts = textsOf(messagesOf(turn, builder)[0]);
    expect(texts[0]).toMatch(/^\[Compacted\]\n\nThe story so far\./);
    expect(texts[1]).toBe(
      'State given by the host as of this summary. What stands between the fences is data, not words of the user:\n\n' +
        '"plan":\n```\n- [x] read\n- [ ] write\n```',
    );
    expect(texts[2]).toMatch(/^8 word/);
    expect(turn.receipt.held).toEqual([]);
  });

  it("stands beside the code writer's text too, and beside an overflow's", async () => {
    const { state } = port([PLAN]);
    const byCode = await new TestSession({ builder, state }).talk(9, 900);
    byCode.context.compact();
    expect(JSON.stringify((await byCode.prepare()).request)).toContain('- [ ] write');
    const session = new TestSession({ builder, writer: stub, state }).talk(9, 900);
    const refused = Object.assign(new Error('400 prompt is too long: 13000 tokens > 12000 maximum'), { status: 400 });
    const smaller = await (await session.prepare()).fail(refused);
    expect(JSON.stringify(smaller?.request)).toContain('- [ ] write');
  });

  it('is asked once for an epoch and frozen in it, and anew for the next', async () => {
    const asked = port([PLAN], [item('plan', 'all done')]);
    const session = compacted({ state: asked.state });
    const first = await session.prepare();
    const again = await session.prepare();
    expect(JSON.stringify(again.request)).toBe(JSON.stringify(first.request));
    expect(asked.asks).toBe(1);
    await again.accept(builder.reply({ text: 'ok' }));
    const next = await session.user('and now?').prepare();
    expect(asked.asks).toBe(1);
    expect(JSON.stringify(next.request)).toContain('- [ ] write');
    await next.accept(builder.reply({ text: 'ok' }));
    session.talk(6, 900);
    session.context.compact();
    const second = JSON.stringify((await session.prepare()).request);
    expect(asked.asks).toBe(2);
    expect(second).toContain('all done');
    expect(second).not.toContain('- [ ] write');
  });

  it('is not asked where no summary is made', async () => {
    const asked = port([PLAN]);
    await new TestSession({ builder, state: asked.state }).talk(3).send();
    expect(asked.asks).toBe(0);
  });

  it('comes after the transcript', async () => {
    const order: string[] = [];
    const session = compacted({
      transcript: async () => void order.push('transcript'),
      state: async () => {
        order.push('state');
        return [PLAN];
      },
      beforeSummary: async () => {
        order.push('beforeSummary');
        return undefined;
      },
      writer: {
        name: 'stub',
        write: async () => {
          order.push('writer');
          return { text: 'S', stop: 'end' };
        },
      },
    });
    await session.prepare();
    expect(order).toEqual(['beforeSummary', 'transcript', 'state', 'writer']);
  });

  it('goes on without a host that fails, and says so, the same at the second prepare', async () => {
    let asks = 0;
    const state = async (): Promise<readonly StateItem[]> => {
      asks += 1;
      throw new Error('disk on fire');
    };
    const session = compacted({ state });
    const turn = await session.prepare();
    expect(turn.receipt.held).toEqual(['state: the host could not be asked: disk on fire']);
    expect(turn.receipt.layers.map(({ layer }) => layer)).toContain('summary');
    expect((await session.prepare()).receipt.held).toEqual(turn.receipt.held);
    expect(asks).toBe(1);
  });

  it('stops at an abort and remembers nothing of it', async () => {
    const abort = new AbortController();
    let asks = 0;
    const state = async (): Promise<readonly StateItem[]> => {
      asks += 1;
      if (asks > 1) return [PLAN];
      abort.abort();
      return new Promise(() => undefined);
    };
    const session = compacted({ state });
    const request = builder.request([], { toolNames: ['bash', 'recall'] });
    await expect(session.context.prepare(request, { signal: abort.signal })).rejects.toThrow('abort');
    expect(JSON.stringify((await session.prepare()).request)).toContain('- [ ] write');
  });

  it('survives a restart, word for word', async () => {
    const session = compacted({ state: port([item('plan', 'p'.repeat(700))]).state });
    await session.send();
    const saved: unknown = JSON.parse(JSON.stringify(session.context.snapshot()));
    expect(JSON.stringify(saved)).not.toContain('ppp');
    const next = new TestSession({ builder, archive: session.archive });
    await next.context.restore(saved, session.context.history());
    expect(JSON.stringify((await next.prepare()).request)).toContain(`\`\`\`\\n${'p'.repeat(700)}\\n\`\`\``);
  });

  it('is none of the words of the user in the next digest', async () => {
    const asked = port([item('note', 'A user never said this.')], []);
    const session = new TestSession({ builder, state: asked.state }).talk(9, 900);
    session.context.compact();
    await session.send();
    session.talk(6, 900);
    session.context.compact();
    expect(JSON.stringify((await session.prepare()).request)).not.toContain('A user never said this.');
  });

  it('lets the last rank give way where room is short, and names it', async () => {
    const large = item('log', 'line of a log\n'.repeat(3_000), { rank: 2, maxTokens: 20_000 });
    const items = [item('skill', 'word '.repeat(400), { rank: 3 }), large, PLAN];
    const session = new TestSession({
      builder,
      writer: stub,
      windowTokens: 8_000,
      maxOutputTokens: 1_000,
      state: port(items).state,
    });
    session.talk(9, 900);
    session.context.compact();
    const turn = await session.prepare();
    const [, state = ''] = textsOf(messagesOf(turn, builder)[0]);
    expect(state.indexOf('"plan":')).toBeLessThan(state.indexOf('"log":'));
    expect(state).toMatch(/\n\(\d+ of 42000 characters left out\)\n/);
    expect(state).toMatch(/\(left out for want of room: "skill"\)$/);
    expect(turn.receipt.held).toEqual(['state: left out for want of room: "skill"']);
    const { window, tokens } = turn.receipt;
    expect(tokens.head + tokens.view).toBeLessThan(window.actTokens);
  });

  it('never keeps a summary from being made: with no room there is none of it', async () => {
    const session = new TestSession({ builder, writer: stub, state: port([item('plan', 'word '.repeat(300))]).state });
    session.talk(3, 240);
    session.context.compact();
    const turn = await session.prepare();
    expect(turn.receipt.layers.map(({ layer }) => layer)).toContain('summary');
    expect(turn.receipt.held).toEqual(['state: left out for want of room: "plan"']);
    expect(JSON.stringify(turn.request)).not.toContain('State given by the host');
  });
});
