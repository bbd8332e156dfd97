/** An agent whose `task` tool is composed by hand, over a simulator that answers the main agent and its sub-agents by what they were told. */
import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  createAgent,
  createHooks,
  createLongTexts,
  createSubagentRunner,
  createTaskTool,
  type SubagentParts,
  type SubagentRunner,
} from '@holdover/agent';
import type { Receipt } from '@holdover/engine';
import { fsArchive } from '@holdover/engine/archives/fs';
import type { Fault, SimReplyPart, SimRequest, Simulator } from '@holdover/simulator';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createPermissions } from '../../src/permissions/permissions.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { ECHO, type Format, openSimulator, providerFor, quickPorts } from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

export type Line = string | SimReplyPart | readonly SimReplyPart[];
/** What a model says in each of its rounds, from 0. */
export type Script = (round: number, request: SimRequest) => Line | Promise<Line>;

export interface SubagentStage {
  readonly agent: Agent;
  readonly runner: SubagentRunner;
  readonly simulator: Simulator;
  readonly folder: string;
  readonly events: readonly AgentEvent[];
  readonly receipts: readonly Receipt[];
  /** Requests of the sub-agent with this task. */
  requestsOf(task: string): readonly SimRequest[];
  /** Requests of the main agent. */
  readonly mainRequests: readonly SimRequest[];
}

export interface SubagentStageOptions {
  readonly format: Format;
  readonly main: Script;
  /** By the first word of the task. */
  readonly helpers: Readonly<Record<string, Script>>;
  readonly faults?: readonly Fault[];
  readonly files?: Readonly<Record<string, string>>;
  readonly serverTokens?: number;
  readonly parts?: Partial<SubagentParts>;
  readonly agent?: Partial<AgentOptions>;
}

export const task = (description: string): SimReplyPart => ({
  kind: 'call',
  name: 'task',
  id: `task_${description.split(' ')[0]}`,
  input: { description },
});

export function isHelper(request: SimRequest): boolean {
  return request.system.startsWith('You are a helper');
}

/** The first words a conversation begins with, summaries and all. */
export function firstText(request: SimRequest): string {
  const texts = request.messages.flatMap(({ parts }) => parts.flatMap((part) => ('text' in part ? [part.text] : [])));
  return texts.join('\n');
}

export async function subagentStage(options: SubagentStageOptions): Promise<SubagentStage> {
  const { format, main, helpers, faults = [], serverTokens = 200_000 } = options;
  const mainRequests: SimRequest[] = [];
  const helperRequests: Record<string, SimRequest[]> = {};
  const brain = {
    name: 'by-task',
    async reply(request: SimRequest) {
      if (request.system.startsWith('You write summaries')) return said('Summary: work went on.');
      if (!isHelper(request)) {
        mainRequests.push(request);
        return said(await main(mainRequests.length - 1, request));
      }
      const name = Object.keys(helpers).find((word) => firstText(request).includes(`${word} `)) ?? '';
      const own = (helperRequests[name] ??= []);
      own.push(request);
      const script = helpers[name];
      if (script === undefined) throw new Error(`no script for ${firstText(request)}`);
      return said(await script(own.length - 1, request));
    },
  };
  const simulator = await openSimulator(brain, { windowTokens: serverTokens, faults });
  const folder = tempFolder(options.files ?? {});
  const provider = providerFor(format, simulator);
  const events: AgentEvent[] = [];
  const receipts: Receipt[] = [];
  const workspace = createWorkspace(folder);
  mkdirSync(join(folder, '.task_outputs', 'tool-results'), { recursive: true });
  const archive = fsArchive(join(folder, '.task_outputs', 'tool-results'));
  const runner = createSubagentRunner({
    provider,
    model: () => 'sim-1',
    windowTokens: () => 200_000,
    maxOutputTokens: 1_000,
    escalatedOutputTokens: 2_000,
    permissions: createPermissions({ workspace, rules: { allow: ['bash'] } }),
    hooks: createHooks<object>(),
    workspace,
    archive,
    env: { PATH: process.env['PATH'] ?? '' },
    ports: { now: () => Date.now(), random: () => 0, sleep: async () => undefined },
    sessionId: 's',
    emit: (event) => events.push(event),
    onReceipt: (receipt) => receipts.push(receipt),
    ...options.parts,
  });
  const agent = await createAgent({
    workspace: folder,
    provider,
    model: 'sim-1',
    tools: [
      ECHO,
      createTaskTool({ run: (description, run) => runner.run(description, run), texts: createLongTexts(archive) }),
    ],
    onEvent: (event) => events.push(event),
    ports: quickPorts(),
    ...options.agent,
  });
  onTestFinished(() => agent.close());
  return {
    agent,
    runner,
    simulator,
    folder,
    events,
    receipts,
    mainRequests,
    requestsOf: (word) => helperRequests[word] ?? [],
  };
}

function said(line: Line): { readonly parts: readonly SimReplyPart[] } {
  if (typeof line === 'string') return { parts: line === '' ? [] : [{ kind: 'text', text: line }] };
  return { parts: Array.isArray(line) ? (line as readonly SimReplyPart[]) : [line as SimReplyPart] };
}
