/** A stage for one test: a folder, a scripted model behind a real server, and an agent that speaks to it over HTTP. */
import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  anthropicProvider,
  createAgent,
  defineTool,
  objectSchema,
  openaiChatProvider,
  type Provider,
  success,
  type Tool,
} from '@holdover/agent';
import {
  type Brain,
  createSimulator,
  type Fault,
  type ScriptedBrain,
  type ScriptedStep,
  type SimRecord,
  type SimReplyPart,
  type SimRequest,
  type Simulator,
  scripted,
} from '@holdover/simulator';
import * as v from 'valibot';
import { onTestFinished } from 'vitest';
import { tempFolder } from '../workspace/temp-folder.ts';

export const FORMATS = ['anthropic', 'openai-chat'] as const;
export type Format = (typeof FORMATS)[number];

export interface StageOptions {
  readonly format: Format;
  readonly steps: readonly ScriptedStep[];
  readonly faults?: readonly Fault[];
  /** What the server enforces. @default 200_000 */
  readonly serverTokens?: number;
  readonly agent?: Partial<AgentOptions>;
  readonly files?: Readonly<Record<string, string>>;
  /** @default a new one */
  readonly folder?: string;
}

export interface Stage {
  readonly agent: Agent;
  readonly brain: ScriptedBrain;
  readonly simulator: Simulator;
  readonly provider: Provider;
  readonly folder: string;
  readonly events: readonly AgentEvent[];
  /** Milliseconds the agent waited, in order. */
  readonly waits: readonly number[];
}

/** Four characters a token: exact counts do not matter here. */
export const roughTokens = (text: string): number => Math.ceil(text.length / 4);

export async function openSimulator(
  brain: Brain,
  options: Partial<Parameters<typeof createSimulator>[0]> = {},
): Promise<Simulator> {
  const simulator = await createSimulator({ brain, countTokens: roughTokens, ...options });
  onTestFinished(() => simulator.close());
  return simulator;
}

export function providerFor(format: Format, simulator: Simulator): Provider {
  return format === 'anthropic'
    ? anthropicProvider({ baseUrl: simulator.url, apiKey: 'none' })
    : openaiChatProvider({ baseUrl: `${simulator.url}/v1`, apiKey: 'none' });
}

/** Waits that take no time, written down; a wait that is aborted rejects as the machine's does. */
export function quickPorts(waits: number[] = []): NonNullable<AgentOptions['ports']> {
  return {
    random: () => Math.random(),
    sleep: async (ms, signal) => {
      waits.push(ms);
      signal.throwIfAborted();
    },
  };
}

/** Says back what it is given; touches nothing, so that it needs no permission. */
export const ECHO: Tool = defineTool({
  name: 'echo',
  description: 'Says the text back.',
  inputSchema: objectSchema({ text: { type: 'string' } }, ['text']),
  schema: v.object({ text: v.string('a string') }),
  access: () => [{ kind: 'none' }],
  run: async ({ text }) => success(text),
});

export function echo(text: string, id?: string): SimReplyPart {
  return { kind: 'call', name: 'echo', input: { text }, ...(id === undefined ? {} : { id }) };
}

export async function stageFor(options: StageOptions): Promise<Stage> {
  const { format, steps, faults = [], serverTokens = 200_000, files = {} } = options;
  const brain = scripted(steps);
  const simulator = await openSimulator(brain, { windowTokens: serverTokens, faults });
  const folder = options.folder ?? tempFolder(files);
  const events: AgentEvent[] = [];
  const waits: number[] = [];
  const provider = providerFor(format, simulator);
  const agent = await createAgent({
    workspace: folder,
    provider,
    model: 'sim-1',
    tools: [ECHO],
    onEvent: (event) => events.push(event),
    ...options.agent,
    ports: { ...quickPorts(waits), ...options.agent?.ports },
  });
  onTestFinished(() => agent.close());
  return { agent, brain, simulator, provider, folder, events, waits };
}

/** Results a request showed the model, in order. */
export function resultsIn(request: SimRequest | undefined): readonly { text: string; isError: boolean }[] {
  const parts = request?.messages.flatMap((message) => message.parts) ?? [];
  return parts.flatMap((part) => (part.kind === 'result' ? [{ text: part.text, isError: part.isError }] : []));
}

/** Everything a request showed the model outside of calls, as one text. */
export function shownIn(request: SimRequest | undefined): string {
  const parts = request?.messages.flatMap((message) => message.parts) ?? [];
  return parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
}

/** Messages of a recorded body without cache breakpoints, which are no part of what is said. */
export function messagesOf(record: SimRecord | undefined): readonly unknown[] {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(([key]) => key !== 'cache_control');
    return Object.fromEntries(entries.map(([key, inner]) => [key, strip(inner)]));
  };
  return strip(record?.body['messages'] ?? []) as readonly unknown[];
}

/** Kinds of the events, for orders. */
export function typesOf(events: readonly AgentEvent[]): readonly string[] {
  return events.map((event) => (event.type === 'context' ? `context:${event.event.type}` : event.type));
}
