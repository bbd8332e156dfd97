/**
 * The engine's repairs and layers against the simulator's validator, which were written apart: whatever random callers hand in, the provider
 * takes what the engine sends, or says that it is too long.
 */
import { type Context, createContext } from '@holdover/engine';
import { memoryArchive } from '@holdover/engine/archives/memory';
import { type WireBuilder, wireBuilders } from '@holdover/engine/testing';
import { createSimulator, scripted, type Simulator } from '@holdover/simulator';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Op =
  | { readonly op: 'user'; readonly chars: number }
  | { readonly op: 'talk'; readonly chars: number }
  | {
      readonly op: 'round';
      readonly calls: number;
      readonly chars: number;
      readonly fault: 'none' | 'unanswered' | 'orphan' | 'twice' | 'reused';
    }
  /** `isBare`: nothing of the user's behind the newest results, so that what is attached stands with them. */
  | { readonly op: 'send'; readonly isBare: boolean }
  | { readonly op: 'attach' | 'pin'; readonly chars: number }
  | { readonly op: 'unpin'; readonly id: number }
  | { readonly op: 'snip' }
  | { readonly op: 'keep' }
  | { readonly op: 'compact' }
  | { readonly op: 'rewind'; readonly share: number };

const chars = fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 4_000 }));
const anyOp: fc.Arbitrary<Op> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant('user' as const), chars }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('talk' as const), chars }) },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('round' as const),
      calls: fc.integer({ min: 1, max: 5 }),
      chars,
      fault: fc.constantFrom('none', 'none', 'none', 'unanswered', 'orphan', 'twice', 'reused'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('send' as const), isBare: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constantFrom('attach' as const, 'pin' as const), chars: fc.nat({ max: 400 }) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('unpin' as const), id: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.constant({ op: 'snip' as const }) },
  { weight: 1, arbitrary: fc.constant({ op: 'keep' as const }) },
  { weight: 1, arbitrary: fc.constant({ op: 'compact' as const }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('rewind' as const), share: fc.nat({ max: 100 }) }) },
);

let simulator: Simulator;
const brain = scripted(Array.from({ length: 200_000 }, () => 'Very well.'));

beforeAll(async () => {
  simulator = await createSimulator({
    brain,
    countTokens: (text) => Math.ceil(text.length / 4),
    windowTokens: 6_000,
    keepRequests: 1,
  });
});
afterAll(() => simulator.close());

async function post(builder: WireBuilder, request: object): Promise<{ status: number; body: object; text: string }> {
  const path = builder.name === 'anthropic' ? '/v1/messages' : '/v1/chat/completions';
  const headers = {
    'content-type': 'application/json',
    'x-api-key': 'none',
    authorization: 'Bearer none',
    'anthropic-version': '2023-06-01',
  };
  const response = await fetch(simulator.url + path, { method: 'POST', headers, body: JSON.stringify(request) });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as object, text };
}

/** The messages of one round, with the fault asked for. */
function round(
  builder: WireBuilder,
  { calls, chars: size, fault }: Extract<Op, { op: 'round' }>,
  seed: number,
): readonly object[] {
  const ids = Array.from({ length: calls }, (_, i) => (fault === 'reused' ? `again_${i}` : `call_${seed}_${i}`));
  const given = fault === 'unanswered' ? ids.slice(1) : ids;
  const answers = fault === 'twice' ? [...given, ...given.slice(0, 1)] : given;
  const stray = fault === 'orphan' ? [`stray_${seed}`] : [];
  return [
    builder.assistant({ calls: ids.map((id) => ({ id, name: 'bash', input: { n: seed } })) }),
    ...([...answers, ...stray].length === 0
      ? []
      : builder.results([...answers, ...stray].map((callId) => ({ callId, text: `${seed} `.padEnd(size, 'line\n') })))),
  ];
}

/** What stays beside the conversation, and what is asked of the next request. */
async function ask(
  context: Context<object, object>,
  builder: WireBuilder,
  { op, seed }: { readonly op: Op; readonly seed: number },
): Promise<void> {
  if (op.op === 'attach') context.attach(`note ${seed} `.padEnd(op.chars, 'word '));
  else if (op.op === 'pin' && context.pins().length < 3) context.pin(`pin ${seed} `.padEnd(op.chars, 'word '));
  else if (op.op === 'unpin') context.unpin(op.id);
  else if (op.op === 'snip') context.snip();
  else if (op.op === 'keep') await (await context.prepare(builder.request([], { maxOutputTokens: 500 }))).keep();
}

async function play(builder: WireBuilder, ops: readonly Op[]): Promise<void> {
  const context = createContext<object, object>({
    codec: builder.codec,
    archive: memoryArchive(),
    windowTokens: 6_000,
  });
  context.append([builder.user('Please begin.')]);
  const send = async (isBare = false): Promise<void> => {
    const newest = context.history().at(-1) as { role?: string } | undefined;
    if (!isBare || newest?.role === 'assistant') context.append([builder.user('Go on.')]);
    let turn = await context.prepare(builder.request([], { maxOutputTokens: 500 }));
    for (;;) {
      const { status, body, text } = await post(builder, turn.request);
      if (status === 200) {
        await turn.accept(body);
        return;
      }
      expect(text).toMatch(/too long|maximum context length/);
      const next = await turn.fail({ status, error: body, message: text }).catch((error: { code?: string }) => {
        expect(error.code).toMatch(/WINDOW_EXHAUSTED|THRASHING/);
        return undefined;
      });
      if (next === undefined) return;
      turn = next;
    }
  };
  for (const [seed, op] of ops.entries()) {
    if (op.op === 'user') context.append([builder.user(`${seed} `.padEnd(op.chars, 'word '))]);
    else if (op.op === 'talk') context.append([builder.assistant({ text: `${seed} `.padEnd(op.chars, 'word ') })]);
    else if (op.op === 'round') context.append(round(builder, op, seed));
    else if (op.op === 'compact') context.compact();
    else if (op.op === 'rewind') context.rewind(Math.max(1, Math.floor((context.history().length * op.share) / 100)));
    else if (op.op === 'send') await send(op.isBare);
    else await ask(context, builder, { op, seed });
  }
  await send();
}

describe.each(wireBuilders)('the simulator takes what the engine sends, $name', (builder) => {
  it('and refuses the same unrepaired', async () => {
    const messages = [
      builder.user('go'),
      ...round(builder, { op: 'round', calls: 2, chars: 10, fault: 'unanswered' }, 1),
      builder.user('well?'),
    ];
    expect((await post(builder, builder.request(messages))).status).toBe(400);
  });

  it('over random callers', async () => {
    const property = fc.asyncProperty(fc.array(anyOp, { minLength: 5, maxLength: 40 }), (ops) => play(builder, ops));
    await fc.assert(property, { seed: 20_261_130, numRuns: 150, endOnFailure: true });
  });
});
