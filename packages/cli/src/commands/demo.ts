/** `holdover demo`: a long real session on this project's own files, in a scratch copy, against the built-in provider. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentEvent, createAgent, RESULTS_FOLDER } from '@holdover/agent';
import { classic, constantsOf, windowOf } from '@holdover/engine';
import { appendOnlyBill } from '../demo/bill.ts';
import { checkWork } from '../demo/check.ts';
import { brokenPromises, type DemoReceipt, receiptLines, sumLayers, totalOf } from '../demo/receipt.ts';
import { redeemAll } from '../demo/redeem.ts';
import { createScratch, sourceFiles } from '../demo/scratch.ts';
import { createTask, type DemoTask } from '../demo/task.ts';
import { type LocalModel, startLocalModel } from '../model.ts';
import { describeEvent } from '../output/describe-event.ts';
import { meterLine } from '../output/meter.ts';

export interface DemoOptions {
  readonly seed: number;
  readonly json: boolean;
  readonly keep: boolean;
  readonly signal: AbortSignal;
  readonly out: (text: string) => void;
}

/** The catalogue believes in more than the server gives, as happens with gateways and local models. */
const BELIEVED_TOKENS = 32_000;
const ENFORCED_TOKENS = 24_000;
const MODEL = { windowTokens: BELIEVED_TOKENS, maxOutputTokens: 8_000 };

/** What the task needs: searching and reading are allowed anyway. */
const RULES = { allow: ['bash', 'write_file', 'edit_file'] };

function preamble(): readonly string[] {
  const constants = constantsOf(classic, windowOf(MODEL, classic.window));
  const layers = Object.entries(constants).map(([layer, values]) => {
    const shown = Object.entries(values).map(([name, value]) => `${name} ${value}`);
    return `  ${layer.padEnd(8)} ${shown.join(', ')}`;
  });
  return [
    'No key, no network: the model is the built-in rule-following one. It sees messages and tools and knows nothing of the layers.',
    `The catalogue believes in a window of ${BELIEVED_TOKENS} tokens; the server enforces ${ENFORCED_TOKENS}.`,
    'policy classic, scaled to this window:',
    ...layers,
    '',
  ];
}

function archiveSize(scratch: string): { items: number; bytes: number } {
  const folder = join(scratch, RESULTS_FOLDER);
  const files = readdirSync(folder).filter((name) => name.startsWith('c_'));
  return { items: files.length, bytes: files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) };
}

interface Run {
  readonly scratch: string;
  readonly task: DemoTask;
  readonly model: LocalModel;
}

async function play(
  { scratch, task, model }: Run,
  options: DemoOptions,
  say: (line: string) => void,
): Promise<DemoReceipt> {
  const started = performance.now();
  const lengths: number[] = [];
  const onEvent = (event: AgentEvent): void => {
    if (event.type === 'context' && event.event.type === 'turn-accept')
      lengths.push(agent.context.history().length - 1);
    const line = event.type === 'turn-end' ? meterLine(event.receipt) : describeEvent(event);
    if (line !== undefined) say(line);
  };
  const agent = await createAgent({
    workspace: scratch,
    provider: model.provider,
    model: 'rules-1',
    ...MODEL,
    policy: classic,
    rules: RULES,
    maxRounds: 400,
    env: { PATH: process.env['PATH'] ?? '' },
    onEvent,
  });
  try {
    const result = await agent.run(task.prompt, { signal: options.signal });
    const totals = model.simulator.totals();
    const refused = model.simulator.requests.filter((record) => record.status === 400).length;
    const history = agent.context.history();
    return {
      seed: options.seed,
      policy: 'classic',
      layers: sumLayers(result.receipts),
      billed: totalOf(totals, refused),
      appendOnly: await appendOnlyBill(model.simulator, { history, lengths, windowTokens: ENFORCED_TOKENS }),
      archive: { ...archiveSize(scratch), ...(await redeemAll(agent.context, model.provider.codec)) },
      failures: [
        ...checkWork(scratch, task),
        ...(result.stop === 'done' ? [] : [`the model stopped with ${result.stop}`]),
      ],
      seconds: (performance.now() - started) / 1_000,
    };
  } finally {
    await agent.close();
  }
}

/** Resolves to the exit status: 0 when all promises were kept. */
export async function demo(options: DemoOptions): Promise<number> {
  const { seed, json, keep, out } = options;
  const say = (line: string): void => {
    if (!json) out(`${line}\n`);
  };
  const scratch = createScratch();
  const model = await startLocalModel('anthropic', ENFORCED_TOKENS);
  try {
    for (const line of preamble()) say(line);
    const task = createTask(scratch, sourceFiles(scratch), seed);
    const receipt = await play({ scratch, task, model }, options, say);
    const broken = brokenPromises(receipt);
    if (json) out(`${JSON.stringify({ ...receipt, broken }, null, 2)}\n`);
    else for (const line of ['', ...receiptLines(receipt), ...(keep ? [`scratch         ${scratch}`] : [])]) say(line);
    if (!json)
      for (const line of broken.filter((text) => !receipt.failures.includes(text)))
        say(`promise         BROKEN: ${line}`);
    return broken.length === 0 ? 0 : 1;
  } finally {
    await model.simulator.close();
    if (!keep) rmSync(scratch, { recursive: true, force: true });
  }
}
