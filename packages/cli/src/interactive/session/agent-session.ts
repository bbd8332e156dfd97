/** Sessions of the agent, as the terminal wants them. The only file that knows both sides. */
import {
  type Agent,
  type AgentEvent,
  createAgent,
  createWorkspace,
  describeSessions,
  exportSession,
  type SessionChoice,
} from '@holdover/agent';
import { type ContextEvent, type EpochDiff, type Receipt, redactSecrets } from '@holdover/engine';
import { agentSettings } from '../../agent-settings.ts';
import { type OpenedModel, openModel } from '../../model.ts';
import type { Settings } from '../../settings/definitions.ts';
import { heldBack } from '../blocks/compaction-block.ts';
import { expandMentions } from '../input/mentions.ts';
import { offeredModels, refusalOf } from './models.ts';
import { createMeter, type SessionMeter } from './newest-meter.ts';
import { pastOf } from './past.ts';
import type { Compaction, SessionListener, SessionPort, SessionsPort } from './session-port.ts';

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
  readonly model: OpenedModel;
  readonly meter: SessionMeter;
  /** Of the newest turn that was kept without being sent. */
  readonly kept: () => Receipt | undefined;
  /** Of the newest undo or redo: number of the epoch. */
  readonly turnedBack: () => number | undefined;
}

function isTurnBack(event: ContextEvent): event is Extract<ContextEvent, { type: 'epoch-undo' | 'epoch-redo' }> {
  return event.type === 'epoch-undo' || event.type === 'epoch-redo';
}

async function compactNow(
  { agent, kept }: Opened,
  options: Parameters<SessionPort['compact']>[0],
): Promise<Compaction> {
  const receipt = await agent.compact(options);
  return { receipt, isHeldBack: receipt === undefined && heldBack(kept() ?? { held: [] }).length > 0 };
}

/** The epoch taken or brought back is named by the event. */
async function turnBack({ agent, turnedBack }: Opened, what: 'undo' | 'redo'): Promise<EpochDiff | undefined> {
  return (await agent[what]()) ? agent.context.diff(turnedBack()) : undefined;
}

/** What changes the view without a request: the meter has to look anew. */
function movesOf(opened: Opened): Pick<SessionPort, 'compact' | 'undo' | 'redo' | 'rewind' | 'pin' | 'unpin'> {
  const { agent, meter } = opened;
  const moving = <T>(work: Promise<T>): Promise<T> => work.finally(meter.moved);
  return {
    compact: (options) => moving(compactNow(opened, options)),
    undo: () => moving(turnBack(opened, 'undo')),
    redo: () => moving(turnBack(opened, 'redo')),
    rewind: (length) => moving(agent.rewind(length)),
    pin: (text) => moving(agent.pin(text)),
    unpin: (id) => moving(agent.unpin(id)),
  };
}

function modelOf({ agent, model, meter }: Opened): Pick<SessionPort, 'setModel' | 'models'> {
  return {
    setModel(id) {
      const refusal = refusalOf(id, model);
      if (refusal !== undefined) return refusal;
      agent.setModel(id);
      meter.moved();
      return undefined;
    },
    models: () => offeredModels(model),
  };
}

function portOf(opened: Opened): SessionPort {
  const { agent, folder, model, meter } = opened;
  const { context, permissions } = agent;
  const mentions = { workspace: createWorkspace(folder), mayRead: permissions.mayRead };
  return {
    ...movesOf(opened),
    ...modelOf(opened),
    sessionId: agent.sessionId,
    get model() {
      return agent.model;
    },
    readOnly: agent.readOnly,
    expand: (prompt) => expandMentions(prompt, mentions),
    run: (pieces, options) => agent.run(pieces, options),
    pins: () => context.pins(),
    recall: (address) => context.recall(address),
    search: (query) => context.search(query),
    preview: (options) => agent.preview(options),
    diff: (epochId) => context.diff(epochId),
    breakdown: () => agent.breakdown(),
    cost: () => agent.cost(),
    meter: meter.read,
    past: () => pastOf(model.provider, context.history()),
    todos: () => agent.todos.items,
    rules: () => permissions.rules(),
    forgetRule: (text) => permissions.forget(text),
    export: (format) => {
      return exportSession(folder, agent.sessionId, { format, redact: (text) => redactSecrets(text).text });
    },
    close: () => agent.close(),
    kill: agent.kill,
  };
}

interface OpenAbout {
  readonly choice: SessionChoice;
  readonly model: OpenedModel;
  /** Whether another session was open before. */
  readonly isNext: boolean;
}

async function openSession({ choice, model, isNext }: OpenAbout, options: SessionsOptions): Promise<SessionPort> {
  const { folder, userFolder, env, settings, listener } = options;
  let kept: Receipt | undefined;
  let turnedBack: number | undefined;
  const meter = createMeter(() => (agent.context.history().length === 0 ? undefined : agent.breakdown()));
  const onEvent = (event: AgentEvent): void => {
    if (event.type === 'turn-end') meter.take(event.receipt);
    if (event.type === 'context' && event.event.type === 'turn-keep') kept = event.event.receipt;
    if (event.type === 'context' && isTurnBack(event.event)) turnedBack = event.event.epochId;
    listener.onEvent(event);
  };
  const agent = await createAgent({
    workspace: folder,
    userFolder,
    ...agentSettings(settings, model),
    session: choice,
    newSessionSource: isNext ? 'clear' : 'startup',
    env,
    ...(listener.ask === undefined ? {} : { ask: listener.ask }),
    onEvent,
  });
  return portOf({ agent, folder, model, meter, kept: () => kept, turnedBack: () => turnedBack });
}

/** Starts the model; sessions are opened as they are asked for. The caller closes both. */
export async function createSessions(options: SessionsOptions): Promise<SessionsPort> {
  const { settings, env, folder } = options;
  const model = await openModel({ settings, env, signal: new AbortController().signal });
  let isNext = false;
  return {
    about: model.isBuiltin ? 'built-in model, no key needed' : model.about,
    async open(choice) {
      const session = await openSession({ choice, model, isNext }, options);
      isNext = true;
      return session;
    },
    list: () => describeSessions(folder),
    close: model.close,
  };
}
