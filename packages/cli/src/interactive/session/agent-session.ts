/** Sessions of the agent, as the terminal wants them. The only file that knows both sides. */
import {
  type Agent,
  type AgentEvent,
  createAgent,
  describeSessions,
  exportSession,
  type Provider,
  type SessionChoice,
} from '@holdover/agent';
import { redactSecrets } from '@holdover/engine';
import { agentSettings } from '../../agent-settings.ts';
import { type OpenedModel, openModel } from '../../model.ts';
import type { Settings } from '../../settings/definitions.ts';
import { pastOf } from './past.ts';
import type { SessionListener, SessionPort, SessionsPort } from './session-port.ts';
import { createMeter } from './newest-meter.ts';

export interface SessionsOptions {
  readonly folder: string;
  /** The folder of the user's own settings. */
  readonly userFolder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly settings: Settings;
  readonly listener: SessionListener;
}

interface Opened {
  readonly agent: Agent;
  readonly folder: string;
  readonly provider: Provider;
  readonly meter: ReturnType<typeof createMeter>;
}

function portOf({ agent, folder, provider, meter }: Opened): SessionPort {
  const { context, permissions } = agent;
  return {
    sessionId: agent.sessionId,
    get model() {
      return agent.model;
    },
    readOnly: agent.readOnly,
    run: (pieces, options) => agent.run(pieces, options),
    compact: (options) => agent.compact(options),
    undo: () => agent.undo(),
    rewind: (length) => agent.rewind(length),
    pin: (text) => agent.pin(text),
    unpin: (id) => agent.unpin(id),
    pins: () => context.pins(),
    recall: (address) => context.recall(address),
    search: (query) => context.search(query),
    breakdown: () => agent.breakdown(),
    cost: () => agent.cost(),
    meter: meter.read,
    past: () => pastOf(provider, context.history()),
    rules: () => permissions.rules(),
    forgetRule: (text) => permissions.forget(text),
    setModel: async (model) => agent.setModel(model),
    models: () => [agent.model],
    export: (format) => {
      return exportSession(folder, agent.sessionId, { format, redact: (text) => redactSecrets(text).text });
    },
    close: () => agent.close(),
    kill: agent.kill,
  };
}

async function openSession(choice: SessionChoice, model: OpenedModel, options: SessionsOptions): Promise<SessionPort> {
  const { folder, userFolder, env, settings, listener } = options;
  const meter = createMeter();
  const onEvent = (event: AgentEvent): void => {
    if (event.type === 'turn-end') meter.take(event.receipt);
    listener.onEvent(event);
  };
  const agent = await createAgent({
    workspace: folder,
    userFolder,
    ...agentSettings(settings, model),
    session: choice,
    env,
    ...(listener.ask === undefined ? {} : { ask: listener.ask }),
    onEvent,
  });
  return portOf({ agent, folder, provider: model.provider, meter });
}

/** Starts the model; sessions are opened as they are asked for. The caller closes both. */
export async function createSessions(options: SessionsOptions): Promise<SessionsPort> {
  const { settings, env, folder } = options;
  const model = await openModel({ settings, env, signal: new AbortController().signal });
  return {
    about: model.isBuiltin ? 'built-in model, no key needed' : model.about,
    open: (choice) => openSession(choice, model, options),
    list: () => describeSessions(folder),
    close: model.close,
  };
}
