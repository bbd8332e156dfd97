/** Holdover's own policies, through the engine as a host uses it. */
import {
  claudeCodeLens,
  createContext,
  holdoverLens,
  type Lens,
  piLens,
  type Policy,
  type Recalled,
  recallTool,
} from '@holdover/engine';
import { memoryArchive } from '@holdover/engine/archives/memory';
import { anthropic } from '@holdover/engine/codecs/anthropic';
import type { SessionFormat } from '../session/recorded.ts';
import type { Contestant, Course, Setup } from './contestant.ts';

const LENSES: Readonly<Record<SessionFormat, Lens>> = {
  pi: piLens,
  'claude-code': claudeCodeLens,
  holdover: holdoverLens,
};

/** Hits of one recall that are read. */
const RECALL_HITS = 5;

/** A text of about `tokens` tokens for what the log does not have: the engine counts its head as it would the real one. */
function fillerOf(tokens: number): string {
  return 'word '.repeat(Math.round(tokens)).trim();
}

function answerOf(recalled: Recalled): string {
  if (recalled.kind === 'content') return recalled.text;
  return recalled.hits
    .slice(0, RECALL_HITS)
    .map(({ what, excerpt }) => `${what}\n${excerpt}`)
    .join('\n');
}

function start(policy: Policy, setup: Setup): Course {
  const { format, prices, windowTokens, maxOutputTokens, model, headTokens, count } = setup;
  let nowMs = 0;
  let taken = 0;
  const context = createContext({
    codec: anthropic({ cache: false }),
    archive: memoryArchive(),
    policy,
    lens: LENSES[format],
    windowTokens,
    prices: () => prices,
    now: () => nowMs,
  });
  const { name, description, inputSchema } = recallTool(context);
  const tool = { name, description, input_schema: inputSchema };
  const hasLayers = policy.layers.length > 0;
  const request = {
    model: model === '' ? 'unknown' : model,
    max_tokens: maxOutputTokens,
    system: fillerOf(headTokens),
    ...(hasLayers ? { tools: [tool] } : {}),
    messages: [],
  };
  let open: Awaited<ReturnType<typeof context.prepare>> | undefined;
  return {
    extraHeadTokens: hasLayers ? count(JSON.stringify(tool)) : 0,
    async view({ history, atMs }) {
      nowMs = Math.max(nowMs, atMs);
      context.append(history.slice(taken));
      taken = history.length;
      open = await context.prepare(request);
      return (open.request as { readonly messages: readonly object[] }).messages;
    },
    async settle(reply, usage) {
      if (reply === undefined) return;
      taken += 1;
      const hasCalls = reply.content.some(({ type }) => type === 'tool_use');
      await open?.accept({
        content: reply.content,
        stop_reason: hasCalls ? 'tool_use' : 'end_turn',
        usage: {
          input_tokens: usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens,
          cache_read_input_tokens: usage.cacheReadTokens,
          cache_creation_input_tokens: usage.cacheWriteTokens,
          output_tokens: usage.outputTokens,
        },
      });
    },
    recall: async (query) => answerOf(context.search(query)),
  };
}

/** A policy of the engine. `windowTokens` in place of the replay's, for one that would not fit it. */
export function enginePolicy(policy: Policy, options: { readonly windowTokens?: number } = {}): Contestant {
  return { name: policy.name, start: (setup) => start(policy, { ...setup, ...options }) };
}
