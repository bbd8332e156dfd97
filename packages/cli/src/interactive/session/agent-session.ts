/** Sessions of the agent, as the terminal wants them. The only file that knows both sides. */
import {
  type Agent,
  type AgentEvent,
  anthropicProvider,
  createAgent,
  type PermissionQuestion,
  type Provider,
  type SessionChoice,
} from '@holdover/agent';
import { CliError } from '../../errors.ts';
import { startLocalModel } from '../../model.ts';
import type { Settings } from '../../settings/definitions.ts';
import { POLICIES } from '../../settings/policies.ts';
import { breakdownOf } from './breakdown.ts';
import { describeLogs } from './describe-logs.ts';
import { pastOf } from './past.ts';
import type { AskAnswer, RuleView, SessionListener, SessionPort, SessionsPort, UserPiece } from './session-port.ts';
import { createTally } from './tally.ts';

export interface SessionsOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly settings: Settings;
  readonly listener: SessionListener;
}

interface Model {
  readonly provider: Provider;
  readonly about: string;
  close(): Promise<void>;
}

/** What the agent does not offer to a terminal yet; the one place that says so. */
function notAvailable(what: string): CliError {
  return new CliError('bad_usage', `${what} is not available in this version`);
}

/** A server the environment names; otherwise the built-in model, which needs no key. */
async function startModel({ env, settings }: SessionsOptions): Promise<Model> {
  const baseUrl = env['ANTHROPIC_BASE_URL'];
  if (baseUrl !== undefined && baseUrl !== '') {
    const provider = anthropicProvider({ baseUrl, apiKey: env['ANTHROPIC_API_KEY'] ?? 'none' });
    return { provider, about: `${settings.model} at ${baseUrl}`, close: async () => undefined };
  }
  const { provider, simulator } = await startLocalModel(settings.format, settings.windowTokens);
  return { provider, about: 'built-in model, no key needed', close: () => simulator.close() };
}

function textOf(pieces: readonly UserPiece[]): string {
  const texts = pieces.filter((piece) => typeof piece === 'string');
  if (texts.length < pieces.length) throw notAvailable('sending a picture');
  return texts.join('\n\n');
}

/** Answers by what was allowed for the session before it asks. */
function rememberingAsk(
  ask: NonNullable<SessionListener['ask']>,
): (question: PermissionQuestion) => Promise<'allow' | 'deny'> {
  const allowed = new Set<string>();
  return async (question) => {
    if (allowed.has(question.allowRule)) return 'allow';
    const answer: AskAnswer = await ask(question);
    if (typeof answer === 'string') return answer;
    if (answer.allow && answer.remember !== undefined) allowed.add(question.allowRule);
    return answer.allow ? 'allow' : 'deny';
  };
}

function rulesOf({ allow, deny }: Settings): readonly RuleView[] {
  return [
    ...deny.map((text): RuleView => ({ text, kind: 'deny', source: 'settings' })),
    ...allow.map((text): RuleView => ({ text, kind: 'allow', source: 'settings' })),
  ];
}

interface Opened {
  readonly agent: Agent;
  readonly provider: Provider;
  readonly settings: Settings;
  readonly tally: ReturnType<typeof createTally>;
}

function portOf({ agent, provider, settings, tally }: Opened): SessionPort {
  const { context } = agent;
  return {
    sessionId: agent.sessionId,
    model: settings.model,
    run: (pieces, options) => agent.run(textOf(pieces), options),
    compact: async ({ focus }) => {
      context.compact(focus === undefined ? {} : { focus });
      throw new CliError(
        'bad_usage',
        'compacting between messages is not available: it is done with your next message',
      );
    },
    undo: () => context.undo(),
    rewind: async () => {
      throw notAvailable('/rewind');
    },
    pin: async () => {
      throw notAvailable('/pin');
    },
    unpin: async () => {
      throw notAvailable('/pin');
    },
    pins: () => [],
    recall: (address) => context.recall(address),
    search: (query) => context.search(query),
    breakdown: () => breakdownOf(context, provider),
    cost: tally.cost,
    meter: tally.meter,
    past: () => pastOf(provider, context.history()),
    rules: () => rulesOf(settings),
    forgetRule: async () => {
      throw notAvailable('taking a rule back here');
    },
    setModel: async () => {
      throw notAvailable('changing the model of a running session');
    },
    models: () => [settings.model],
    export: async () => {
      throw notAvailable('/export');
    },
    close: () => agent.close(),
    kill: agent.kill,
  };
}

async function openSession(choice: SessionChoice, provider: Provider, options: SessionsOptions): Promise<SessionPort> {
  const { folder, env, settings, listener } = options;
  const tally = createTally();
  const onEvent = (event: AgentEvent): void => {
    if (event.type === 'turn-end') tally.add(event.receipt);
    listener.onEvent(event);
  };
  const agent = await createAgent({
    workspace: folder,
    provider,
    model: settings.model,
    windowTokens: settings.windowTokens,
    maxOutputTokens: settings.maxOutputTokens,
    maxRounds: settings.maxRounds,
    policy: POLICIES[settings.policy],
    session: choice,
    env,
    rules: { allow: settings.allow, deny: settings.deny },
    ...(listener.ask === undefined ? {} : { ask: rememberingAsk(listener.ask) }),
    onEvent,
  });
  return portOf({ agent, provider, settings, tally });
}

/** Starts the model; sessions are opened as they are asked for. The caller closes both. */
export async function createSessions(options: SessionsOptions): Promise<SessionsPort> {
  const model = await startModel(options);
  return {
    about: model.about,
    open: (choice) => openSession(choice, model.provider, options),
    list: () => describeLogs(options.folder),
    close: model.close,
  };
}
