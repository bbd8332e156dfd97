/** The agent of a soak: opened, resumed and forked with the same surroundings each time. */
import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  anthropicProvider,
  createAgent,
  createHooks,
  type Hooks,
  openaiChatProvider,
  parseMcpServers,
  type Provider,
  type SessionChoice,
} from '@holdover/agent';
import { classic, economic, modelFacts } from '@holdover/engine';
import { fileURLToPath } from 'node:url';
import { MARK_NAME } from './orphans.ts';
import { type Format, MODELS, type PolicyName } from './protocol.ts';
import { createRandom, prose, type Random } from './random.ts';

export interface Surroundings {
  readonly format: Format;
  readonly policy: PolicyName;
  readonly seed: string;
  readonly folder: string;
  readonly mark: string;
  readonly url: string;
  readonly onEvent: (event: AgentEvent) => void;
  /** A hook answered: its name. */
  readonly onHook: (name: string) => void;
  /** A `prepare` of the main agent took so long. */
  readonly onPrepare: (ms: number) => void;
}

export interface Surrounded {
  readonly provider: Provider;
  open(session: SessionChoice): Promise<Agent>;
}

function providerOf({ format, url }: Surroundings): Provider {
  return format === 'anthropic'
    ? anthropicProvider({ baseUrl: url, apiKey: 'none' })
    : openaiChatProvider({ baseUrl: `${url}/v1`, apiKey: 'none' });
}

/** Hooks that mostly say nothing. */
function hooksOf(random: Random, onHook: (name: string) => void): Hooks<object> {
  const hooks = createHooks<object>();
  const sometimes =
    <Answer>(name: string, chance: number, answer: () => Answer) =>
    (): Answer | null => {
      if (!random.chance(chance)) return null;
      onHook(name);
      return answer();
    };
  hooks.on(
    'UserPromptSubmit',
    sometimes('UserPromptSubmit', 0.05, () => `Branch: ${prose(random, 5)}`),
  );
  hooks.on(
    'PreToolUse',
    sometimes('PreToolUse', 0.03, () => 'blocked by a hook: not now'),
  );
  hooks.on(
    'PostToolUse',
    sometimes('PostToolUse', 0.01, () => {
      throw new Error('a broken hook');
    }),
  );
  hooks.on(
    'Stop',
    sometimes('Stop', 0.03, () => 'You are not done: check once more.'),
  );
  hooks.on(
    'PreCompact',
    sometimes('PreCompact focus', 0.1, () => 'Mind the file names.'),
  );
  hooks.on(
    'PreCompact',
    sometimes('PreCompact block', 0.05, () => ({ block: 'not while the tests run' })),
  );
  hooks.on(
    'SessionStart',
    sometimes('SessionStart', 0.3, () => `Today is a day ${prose(random, 3)}.`),
  );
  return hooks;
}

const MCP_SERVER = fileURLToPath(new URL('./mcp-server.mjs', import.meta.url));

/** Deletes are never allowed; everything else mostly is. */
function askOf(random: Random): NonNullable<AgentOptions['ask']> {
  return async (question) => {
    if (JSON.stringify(question).includes('rm -rf')) return { allow: false, reason: 'never' };
    return random.chance(0.9) ? 'allow' : 'deny';
  };
}

const CONTEXTS = { classic, economic } as const;

/** The agent, its prepares timed: a summary that a model writes is part of one. */
function timed(agent: Agent, onPrepare: (ms: number) => void): Agent {
  const { context } = agent;
  const prepare = context.prepare.bind(context);
  context.prepare = async (request, options) => {
    const startMs = performance.now();
    const turn = await prepare(request, options);
    onPrepare(performance.now() - startMs);
    return turn;
  };
  return agent;
}

export function surround(around: Surroundings): Surrounded {
  const { folder, mark, seed, policy, onEvent, onHook, onPrepare } = around;
  const random = createRandom(`${seed}/session`);
  const provider = providerOf(around);
  const env = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', [MARK_NAME]: mark };
  const { servers } = parseMcpServers({ frail: { command: process.execPath, args: [MCP_SERVER] } });
  const options: Omit<AgentOptions, 'session'> = {
    model: 'soak-large',
    fallbackModel: 'soak-spare',
    provider,
    workspace: folder,
    context: { policy: CONTEXTS[policy], maxOutputTokens: 2_000, escalatedOutputTokens: 4_000 },
    factsOf: (model) => modelFacts(model, { windowTokens: MODELS[model]?.believed ?? 40_000 }),
    thinkingTokens: 1_024,
    maxRounds: 20,
    rules: {
      allow: ['bash', 'write_file', 'edit_file', ...['echo', 'fail', 'crash'].map((name) => `mcp__frail__${name}`)],
      deny: ['bash(curl*)'],
    },
    ask: askOf(random),
    hooks: hooksOf(random, onHook),
    mcpServers: servers,
    env,
    onEvent,
    ports: {
      random: () => random.next(),
      async sleep(_ms, signal) {
        signal.throwIfAborted();
      },
    },
  };
  return { provider, open: async (session) => timed(await createAgent({ ...options, session }), onPrepare) };
}
