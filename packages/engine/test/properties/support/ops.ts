/** Operations on a session: what hosts, users and providers may do in any order. */
import fc from 'fast-check';
import { anyText, shortText, soundText, type TextSpec } from './texts.ts';

/** What a caller gets wrong in a round of calls. */
export type Fault =
  | 'none'
  | 'unanswered'
  | 'all-unanswered'
  | 'orphan'
  | 'duplicate-call'
  | 'duplicate-result'
  | 'twin-call'
  | 'late-result'
  | 'split-results';

export interface CallRound {
  readonly op: 'round';
  readonly calls: readonly {
    readonly text: TextSpec;
    readonly tool: number;
    readonly content: number;
    readonly isError: boolean;
  }[];
  readonly words: TextSpec | undefined;
  /** Words of the user beside the results. */
  readonly beside: TextSpec | undefined;
  readonly thought: boolean;
  readonly kind: number;
  readonly fault: Fault;
  /** Through `prepare` and `accept`, or appended as a whole. */
  readonly viaTurn: boolean;
}

export type Outcome =
  | {
      readonly kind: 'accept';
      readonly text: TextSpec;
      readonly usage: number | undefined;
      readonly stop: 'end' | 'window' | 'cap';
    }
  | { readonly kind: 'honest' }
  | { readonly kind: 'empty-reply' }
  | { readonly kind: 'refused'; readonly how: RefusalKind; readonly times: number; readonly settle: 'accept' | 'other' }
  | { readonly kind: 'unsettled' }
  | { readonly kind: 'kept' }
  | { readonly kind: 'settled-twice' }
  | { readonly kind: 'late-append'; readonly text: TextSpec };

export type RefusalKind = 'numbers' | 'no-numbers' | 'bytes' | 'rate' | 'other';

export type Op =
  | { readonly op: 'user'; readonly text: TextSpec; readonly kind: number }
  | { readonly op: 'model'; readonly text: TextSpec; readonly kind: number }
  | { readonly op: 'hollow'; readonly side: 'user' | 'model' }
  | { readonly op: 'host'; readonly text: TextSpec }
  | CallRound
  | {
      readonly op: 'turn';
      readonly outcome: Outcome;
      readonly isTwice: boolean;
      readonly viaArray: boolean;
      readonly hasRecall: boolean;
    }
  | { readonly op: 'compact'; readonly share: number | undefined; readonly focus: boolean }
  /** A compaction between two turns: asked for, prepared and kept. */
  | { readonly op: 'compact-now' }
  | { readonly op: 'snip'; readonly keepTurns: number }
  | { readonly op: 'attach'; readonly text: TextSpec }
  /** `again`: a text that was pinned before, live or not. */
  | { readonly op: 'pin'; readonly text: TextSpec; readonly again: boolean }
  | { readonly op: 'unpin'; readonly pick: number }
  /** `ticks`: how far the prepare has come by then. */
  | { readonly op: 'abort'; readonly ticks: number }
  | { readonly op: 'undo' }
  | { readonly op: 'redo' }
  /** `share`: of the history a compaction would cover; undefined: what the next prepare would do. */
  | { readonly op: 'preview'; readonly share: number | undefined }
  | { readonly op: 'idle'; readonly minutes: number }
  | { readonly op: 'switch'; readonly pick: number }
  | { readonly op: 'rewind'; readonly share: number }
  | { readonly op: 'resume'; readonly reparsed: boolean }
  | { readonly op: 'fork'; readonly share: number; readonly text: TextSpec }
  | { readonly op: 'sync'; readonly how: SyncKind; readonly share: number; readonly text: TextSpec }
  | { readonly op: 'writer'; readonly mode: WriterMode };

export type SyncKind =
  | 'reparsed'
  | 'moved-cache'
  | 'amended'
  | 'own-view'
  | 'own-view-reparsed'
  | 'oldest-dropped'
  | 'truncated';
export type WriterMode = 'none' | 'good' | 'empty' | 'cut' | 'call' | 'throws' | 'long';

const share = fc.integer({ min: 0, max: 100 });
const kind = fc.nat({ max: 40 });

const round: fc.Arbitrary<CallRound> = fc.record({
  op: fc.constant('round' as const),
  calls: fc.array(fc.record({ text: anyText, tool: fc.nat({ max: 6 }), content: kind, isError: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
    size: 'small',
  }),
  words: fc.option(shortText, { nil: undefined }),
  beside: fc.option(shortText, { nil: undefined, freq: 4 }),
  thought: fc.boolean(),
  kind,
  fault: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Fault>('none') },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Fault>(
        'unanswered',
        'all-unanswered',
        'orphan',
        'duplicate-call',
        'duplicate-result',
        'twin-call',
        'late-result',
        'split-results',
      ),
    },
  ),
  viaTurn: fc.boolean(),
});

const usage = fc.option(fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constantFrom(0, 100_000_000)), {
  nil: undefined,
});

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('accept' as const),
      text: soundText,
      usage,
      stop: fc.constantFrom('end' as const, 'end' as const, 'end' as const, 'window' as const, 'cap' as const),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'honest' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'empty-reply' } as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('refused' as const),
      how: fc.constantFrom<RefusalKind>('numbers', 'numbers', 'no-numbers', 'bytes', 'rate', 'other'),
      times: fc.integer({ min: 1, max: 4 }),
      settle: fc.constantFrom('accept' as const, 'other' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'unsettled' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'settled-twice' } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: 'kept' } as const) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('late-append' as const), text: shortText }) },
);

const turn: fc.Arbitrary<Op> = fc.record({
  op: fc.constant('turn' as const),
  outcome,
  isTwice: fc.boolean(),
  viaArray: fc.boolean(),
  hasRecall: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
});

const sync: fc.Arbitrary<Op> = fc.record({
  op: fc.constant('sync' as const),
  how: fc.constantFrom<SyncKind>(
    'reparsed',
    'moved-cache',
    'amended',
    'own-view',
    'own-view',
    'own-view-reparsed',
    'oldest-dropped',
    'truncated',
  ),
  share,
  text: shortText,
});

export const anyOp: fc.Arbitrary<Op> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constant('user' as const), text: anyText, kind }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('model' as const), text: anyText, kind }) },
  { weight: 16, arbitrary: round },
  { weight: 12, arbitrary: turn },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('hollow' as const),
      side: fc.constantFrom('user' as const, 'model' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('host' as const), text: shortText }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('compact' as const),
      share: fc.option(share, { nil: undefined }),
      focus: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ op: 'compact-now' } as const) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('snip' as const), keepTurns: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('attach' as const), text: shortText }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('pin' as const),
      text: shortText,
      again: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('unpin' as const), pick: fc.nat({ max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('abort' as const), ticks: fc.nat({ max: 24 }) }) },
  { weight: 3, arbitrary: fc.constant({ op: 'undo' } as const) },
  { weight: 3, arbitrary: fc.constant({ op: 'redo' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('preview' as const), share: fc.option(share, { nil: undefined }) }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('idle' as const), minutes: fc.constantFrom(1, 4, 6, 90) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('switch' as const), pick: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('rewind' as const), share }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('resume' as const), reparsed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('fork' as const), share, text: shortText }) },
  { weight: 2, arbitrary: sync },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('writer' as const),
      mode: fc.constantFrom<WriterMode>('none', 'good', 'empty', 'cut', 'call', 'throws', 'long'),
    }),
  },
);

/** What the host restores beside summaries. `growing`: something else at every question. */
export type StateMode = 'none' | 'small' | 'growing' | 'huge' | 'hostile' | 'throws';

/** What the host says to summaries. `sometimes`: no to every second. */
export type GateMode = 'none' | 'focus' | 'sometimes' | 'never' | 'throws';

export interface Session {
  readonly state: StateMode;
  readonly gate: GateMode;
  readonly windowTokens: number;
  readonly policy: 'classic' | 'eager' | 'calibrated' | 'economic' | 'thrifty';
  /** What the provider does with reasoning behind a changed message. */
  readonly binding: 'none' | 'drop' | 'reject';
  readonly cache: boolean;
  readonly writer: WriterMode;
  readonly opening: 'user' | 'compaction';
  readonly ops: readonly Op[];
}

function session(ops: fc.Arbitrary<Op[]>): fc.Arbitrary<Session> {
  return fc.record({
    windowTokens: fc.constantFrom(4_000, 4_000, 6_000, 8_000, 16_000),
    policy: fc.constantFrom<Session['policy']>(
      'classic',
      'eager',
      'eager',
      'calibrated',
      'economic',
      'thrifty',
      'thrifty',
    ),
    binding: fc.constantFrom<Session['binding']>('none', 'none', 'drop', 'reject'),
    cache: fc.boolean(),
    writer: fc.constantFrom<WriterMode>('none', 'good', 'good', 'empty', 'cut', 'call', 'throws', 'long'),
    opening: fc.constantFrom('user' as const, 'user' as const, 'user' as const, 'compaction' as const),
    state: fc.constantFrom<StateMode>('none', 'none', 'small', 'growing', 'huge', 'hostile', 'throws'),
    gate: fc.constantFrom<GateMode>('none', 'none', 'none', 'focus', 'sometimes', 'never', 'throws'),
    ops,
  });
}

export interface SessionSizes {
  /** Most operations of an ordinary history. */
  readonly ops: number;
  /** One in so many is long: 60 to 250 operations, hundreds of messages, which find what the short ones hide. */
  readonly longEvery: number;
}

/** Mostly short histories, which shrink well. */
export function anySession({ ops, longEvery }: SessionSizes): fc.Arbitrary<Session> {
  const short = session(fc.array(anyOp, { minLength: 1, maxLength: ops, size: 'max' }));
  const long = session(fc.array(anyOp, { minLength: 60, maxLength: 250, size: 'max' }));
  return fc.oneof({ weight: longEvery - 1, arbitrary: short }, { weight: 1, arbitrary: long });
}
