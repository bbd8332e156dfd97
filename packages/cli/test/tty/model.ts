/** A scripted model behind a real server, for what the built-in one never says. */
import {
  createSimulator,
  type Fault,
  scripted,
  type ScriptedBrain,
  type ScriptedStep,
  type SimReplyPart,
} from '@holdover/simulator';
import { onTestFinished } from 'vitest';

export interface ScriptedModel {
  readonly brain: ScriptedBrain;
  /** What sends the binary there. */
  readonly env: Readonly<Record<string, string>>;
}

export async function scriptedModel(
  steps: readonly ScriptedStep[],
  faults: readonly Fault[] = [],
): Promise<ScriptedModel> {
  const brain = scripted(steps);
  const simulator = await createSimulator({ brain, faults });
  onTestFinished(() => simulator.close());
  const env = {
    ANTHROPIC_BASE_URL: simulator.url,
    ANTHROPIC_API_KEY: 'none',
    HOLDOVER_MODEL: 'sim-1',
    HOLDOVER_WINDOW: '200000',
  };
  return { brain, env };
}

/** Every reply comes piece by piece, with time between the pieces. */
export function slow(deltaDelayMs: number): Fault {
  return { kind: 'slow', delayMs: 0, deltaDelayMs, times: Infinity };
}

export function call(name: string, input: Record<string, unknown>): SimReplyPart {
  return { kind: 'call', name, input };
}

/** Every word of the messages of the request number `index`, the newest for -1. */
export function saidIn({ brain }: ScriptedModel, index: number): string {
  const messages = brain.requests.at(index)?.messages ?? [];
  const parts = messages.flatMap((message) => message.parts);
  return parts.flatMap((part) => (part.kind === 'text' || part.kind === 'result' ? [part.text] : [])).join('\n');
}
