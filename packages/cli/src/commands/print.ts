/** `holdover -p`: one prompt in the current folder, the answer on standard output, what happens on standard error. */
import { type AgentEvent, createAgent, type RunResult, type SessionChoice } from '@holdover/agent';
import { agentSettings } from '../agent-settings.ts';
import { type OpenedModel, openModel } from '../model.ts';
import { sanitise } from '../interactive/text/sanitise.ts';
import { describeEvent } from '../output/describe-event.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Settings } from '../settings/definitions.ts';

export interface PrintOptions {
  readonly prompt: string;
  readonly settings: Settings;
  readonly session: SessionChoice;
  readonly folder: string;
  /** The folder of the user's own settings. */
  readonly userFolder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whether the answer is read by a terminal, which would obey what is in it. */
  readonly isTerminal: boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Events a stream-json line is written for: text pieces would only repeat the messages. */
function isStreamed(event: AgentEvent): boolean {
  if (event.type === 'subagent') return isStreamed(event.event);
  return (
    event.type !== 'text-delta' &&
    !(event.type === 'context' && (event.event.type === 'turn-start' || event.event.type === 'turn-accept'))
  );
}

function resultObject(sessionId: string, result: RunResult, model: OpenedModel): object {
  return {
    type: 'result',
    sessionId,
    result: result.text,
    stop: result.stop,
    rounds: result.rounds,
    usage: model.totals?.(),
    receipts: result.receipts,
  };
}

function report(event: AgentEvent, options: PrintOptions): void {
  const { settings, out, err } = options;
  if (settings.outputFormat === 'stream-json') {
    if (isStreamed(event) && event.type !== 'run-end') out(jsonLine(event));
    return;
  }
  if (settings.outputFormat === 'json') return;
  const line = describeEvent(event);
  if (line !== undefined) err(`${line}\n`);
}

/** Why a run ended before the model was done. */
const STOPPED: Readonly<Record<RunResult['stop'], string | undefined>> = {
  done: undefined,
  rounds: 'stopped: the limit of model calls was reached (--max-rounds); --continue goes on',
  cap: 'stopped: the reply was cut at the output limit again and again (--max-output)',
  refusal: 'stopped: the model refused',
};

/** In a pipe exactly what the model said. */
function printText({ text, stop }: RunResult, { isTerminal, out, err }: PrintOptions): void {
  out(`${isTerminal ? sanitise(text) : text}\n`);
  const why = STOPPED[stop];
  if (why !== undefined) err(`${why}\n`);
}

/** Exit status of a run that ended before the model was done. */
const STOPPED_STATUS = 3;

/** Resolves to the exit status: 0 when the model was done, 3 when it was stopped. */
export async function print(options: PrintOptions): Promise<number> {
  const { prompt, settings, session, folder, userFolder, env, signal, out, err } = options;
  const model = await openModel({ settings, env, signal });
  try {
    if (settings.outputFormat === 'text') err(`${sanitise(model.about)}\n`);
    const agent = await createAgent({
      workspace: folder,
      userFolder,
      ...agentSettings(settings, model),
      session,
      env,
      onEvent: (event) => report(event, options),
    });
    process.once('exit', agent.kill);
    try {
      const result = await agent.run(prompt, { signal });
      if (settings.outputFormat === 'text') printText(result, options);
      else out(jsonLine(resultObject(agent.sessionId, result, model)));
      return result.stop === 'done' ? 0 : STOPPED_STATUS;
    } finally {
      process.off('exit', agent.kill);
      await agent.close();
    }
  } finally {
    await model.close();
  }
}
