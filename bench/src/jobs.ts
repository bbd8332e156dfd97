/** Everything that is measured, in order. */
import { POLICIES } from './policies.ts';
import { type Job, PEER_SECONDS } from './job.ts';
import { SECTIONS } from './sections.ts';

export const SIZES = [1_000, 10_000, 100_000] as const;

const LARGE = 100_000;

/** Messages of a window of about 100,000 tokens. */
const WINDOW_MESSAGES = 640;

function peer(file: string, subject: string, size: number): Job {
  const flags = subject === 'llmtrim' ? ['--experimental-wasm-modules'] : [];
  return { file: `peers/${file}`, section: SECTIONS.peers, subject, size, flags, limitSeconds: PEER_SECONDS };
}

function yardstick(subject: string): Job {
  return { file: 'cases/yardstick', section: SECTIONS.parse, subject, size: LARGE };
}

function ours(file: string, section: string, { subject = 'holdover', size = LARGE } = {}): Job {
  return { file: `cases/${file}`, section, subject, size };
}

const PREPARE: readonly Job[] = SIZES.flatMap((size) => [
  ...Object.keys(POLICIES).map((subject) => ours('turns', SECTIONS.turns, { size, subject })),
  ours('whole-array', SECTIONS.whole, { size }),
]);

const PEERS: readonly Job[] = SIZES.flatMap((size) => [
  peer('langchain', 'LangChain trimMessages', size),
  peer('langchain', 'LangChain ClearToolUsesEdit', size),
  peer('ai-sdk', 'AI SDK pruneMessages', size),
  peer('pi', 'pi estimateTokens, findCutPoint', size),
  peer('llmtrim', 'llmtrim', size),
]);

const HISTORY: readonly Job[] = [
  ours('cold', SECTIONS.cold, { size: 10_000 }),
  ours('cold', SECTIONS.cold),
  ours('memory', SECTIONS.memory, { subject: 'at once' }),
  ours('memory', SECTIONS.memory, { subject: 'turn by turn' }),
  ours('compaction', SECTIONS.compaction, { size: WINDOW_MESSAGES }),
  {
    file: 'peers/compaction',
    section: SECTIONS.compaction,
    subject: 'llmtrim',
    size: WINDOW_MESSAGES,
    flags: ['--experimental-wasm-modules'],
    limitSeconds: PEER_SECONDS,
  },
];

const TOKENS: readonly Job[] = [
  ...['English', 'code', 'JSON', 'Chinese', 'logs', 'session'].map((subject) => ({
    file: 'peers/estimate',
    section: SECTIONS.estimate,
    subject,
  })),
  ...[
    'holdover estimateTokens',
    'holdover codePointTokens (chars/4)',
    'gpt-tokenizer, o200k',
    'ai-tokenizer, claude',
    'js-tiktoken, o200k',
  ].map((subject) => ({ file: 'peers/tokenizers', section: SECTIONS.counters, subject, limitSeconds: PEER_SECONDS })),
  ...['holdover estimateTokens, bare', 'gpt-tokenizer, o200k, guarded', 'gpt-tokenizer, o200k, bare'].map(
    (subject) => ({
      file: 'peers/tokenizers',
      section: SECTIONS.letters,
      subject,
      limitSeconds: PEER_SECONDS,
    }),
  ),
];

const ARCHIVES: readonly Job[] = [
  ...['memory', 'fs', 'fs, not durable', 'fs, as it is', 'sqlite'].map((subject) =>
    ours('archive', SECTIONS.archive, { subject, size: 5_000 }),
  ),
  ours('search', SECTIONS.search, { size: 10_000 }),
  ours('search', SECTIONS.search),
];

/** The yardstick stands at both ends: what lies between its two values is the machine's noise. */
export const JOBS: readonly Job[] = [
  yardstick('at the beginning'),
  ...PREPARE,
  ...HISTORY,
  ...TOKENS,
  ...ARCHIVES,
  ...PEERS,
  yardstick('at the end'),
];
