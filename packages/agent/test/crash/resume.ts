/** Goes on with a session after a crash, as its user would, and proves what it finds with the engine's own verifier and a strict server. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Agent, anthropicProvider, createAgent, openaiChatProvider, type Provider } from '@holdover/agent';
import { estimateTokens } from '@holdover/engine';
import { createSimulator, type Simulator } from '@holdover/simulator';
import { pinFailures, verifyView } from '../../../engine/src/core/verify.ts';
import { project } from '../../../engine/src/core/view.ts';
import { Mirror, roundTrip, sameView } from '../../../engine/test/properties/support/checks.ts';
import { loadSession } from '../../src/session/read-log.ts';
import { leasePath, sessionPath } from '../../src/session/sessions.ts';
import { checkAddresses } from '../soak/addresses.ts';
import { createRandom } from '../soak/random.ts';
import type { Format, Holding, Part, PolicyName } from './protocol.ts';
import { POLICIES, settingsFor } from './settings.ts';

const ANSWER = 'I am here.';
/** More than a view has. */
const EVERY_ADDRESS = 100_000;

export interface Resumer {
  /** What was wrong with going on in `folder`; `id`: a session that has to open, or none. */
  resume(folder: string, session: ResumedSession): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ResumedSession {
  readonly format: Format;
  readonly policy: PolicyName;
  readonly archive?: Part['archive'];
  readonly id: string | undefined;
  readonly holding?: Holding | undefined;
  /** Whether a pin may have been taken back after what is held. */
  readonly mayUnpin?: boolean;
}

/** A strict server whose model says one thing, for any number of sessions. */
export async function createResumer(): Promise<Resumer> {
  const simulator = await createSimulator({
    brain: { name: 'present', reply: () => ({ parts: [{ kind: 'text', text: ANSWER }] }) },
    countTokens: (text) => Math.ceil(text.length / 4),
    keepRequests: 50,
  });
  const providers: Readonly<Record<Format, Provider>> = {
    anthropic: anthropicProvider({ baseUrl: simulator.url, apiKey: 'none' }),
    'openai-chat': openaiChatProvider({ baseUrl: `${simulator.url}/v1`, apiKey: 'none' }),
  };
  return {
    resume: (folder, session) =>
      goOn({ folder, session, simulator, provider: providers[session.format] }).catch((error: Error) => [
        `${error.name}: ${error.message}`,
      ]),
    close: () => simulator.close(),
  };
}

interface Going {
  readonly folder: string;
  readonly session: ResumedSession;
  readonly simulator: Simulator;
  readonly provider: Provider;
}

async function goOn({ folder, session, provider }: Going): Promise<readonly string[]> {
  const { id, policy } = session;
  const count = POLICIES[policy].count ?? estimateTokens;
  const agent = await createAgent({
    workspace: folder,
    provider,
    model: 'seeded',
    context: settingsFor(session),
    session: id === undefined ? { kind: 'new' } : { kind: 'resume', id },
  });
  try {
    const opened = [
      ...(agent.readOnly === undefined ? [] : [agent.readOnly]),
      ...(id === undefined || agent.sessionId === id ? [] : [`session ${id} was still held`]),
      ...pinProblems(agent, session),
    ];
    await proveView(agent, { provider, count, when: 'before a turn' });
    const { problems } = await checkAddresses(agent, createRandom(agent.sessionId), EVERY_ADDRESS);
    // The whole request goes through every rule of the server; it is refused or answered.
    const { text } = await agent.run('Are you there?');
    await proveView(agent, { provider, count, when: 'sent' });
    // Pinned before the crash or after: in view with the next turn.
    const unshown = pinFailures(agent.context.view(), agent.context.pins());
    const history = agent.context.history();
    await agent.close();
    return [
      ...opened,
      ...problems,
      ...unshown,
      ...(text === ANSWER ? [] : [`the model said ${text.slice(0, 40)}`]),
      ...(await leftProblems(folder, { id: agent.sessionId, history })),
    ];
  } finally {
    await agent.close();
  }
}

function pinProblems({ context }: Agent, { holding, mayUnpin = false }: ResumedSession): readonly string[] {
  const live = new Set(context.pins().map(({ text }) => text));
  const lost = (holding?.pins ?? []).filter((text) => !live.has(text));
  return lost.length <= (mayUnpin ? 1 : 0) ? [] : [`${lost.length} pins are lost`];
}

/** Calls a crash left without results are repaired by the next turn, not before. */
const REPAIRED = /^(?:unanswered-call|orphan-result) /;

/** The engine's verifier over the view, and the view against the one made anew from the ledger as the disk has it. */
async function proveView(
  { context, archive }: Agent,
  {
    provider: { codec },
    count,
    when,
  }: { provider: Provider; count: (text: string) => number; when: 'before a turn' | 'sent' },
): Promise<void> {
  const history = new Mirror(codec, count).of(context.history());
  const failures = verifyView(context.view(), history);
  const wrong = when === 'sent' ? failures : failures.filter((failure) => !REPAIRED.test(failure));
  if (wrong.length > 0) throw new Error(`${when}: ${wrong.join('; ')}`);
  const { hash } = archive;
  if (hash === undefined) throw new Error('the archive of files has a hash');
  const tools = { codec, count, hash, load: (address: string) => archive.get(address) };
  const projected = project(history, await roundTrip(context.groups(), tools), count);
  const difference = sameView(context.view(), projected);
  if (difference !== undefined) throw new Error(`${when}: the view is not what its ledger says: ${difference}`);
}

/** After a good end: a log without a fault that holds this very history, and no lease. */
async function leftProblems(
  folder: string,
  { id, history }: { readonly id: string; readonly history: readonly object[] },
): Promise<readonly string[]> {
  const path = sessionPath(folder, id);
  const { damage, messages } = await loadSession(path);
  const beside = readdirSync(dirname(path)).filter((name) => name.includes('takeover'));
  return [
    ...damage,
    ...(JSON.stringify(messages) === JSON.stringify(history) ? [] : ['the log does not hold the history']),
    ...(existsSync(leasePath(path)) ? ['the lease was not given back'] : []),
    ...beside.map((name) => `${join(dirname(path), name)} is left`),
  ];
}
