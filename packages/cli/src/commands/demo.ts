/** `holdover demo`: a long real session on this project's own files, in a scratch copy, against the built-in provider. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentEvent, createAgent, locateSession, RESULTS_FOLDER, verifySession } from '@holdover/agent';
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
import { createScreen, type Screen, type Terminal } from '../output/screen.ts';

export interface DemoOptions {
  readonly seed: number;
  readonly json: boolean;
  readonly keep: boolean;
  readonly signal: AbortSignal;
  /** Set where somebody looks at it. */
  readonly terminal: Terminal | undefined;
  readonly out: (text: string) => void;
}

/** As shells report an interrupt. */
const INTERRUPTED_STATUS = 130;

/** The catalogue believes in more than the server gives, as happens with gateways and local models. */
const BELIEVED_TOKENS = 32_000;
const ENFORCED_TOKENS = 24_000;
const MODEL = { windowTokens: BELIEVED_TOKENS, maxOutputTokens: 8_000 };

/** What the task needs: searching and reading are allowed anyway. */
const RULES = { allow: ['bash', 'write_file', 'edit_file'] };

const number = new Intl.NumberFormat('en-US');

/** The constants of a layer, wrapped to lines of at most 79 characters. */
function constantLines(layer: string, values: Readonly<Record<string, number>>): readonly string[] {
  const lines = [`  ${layer.padEnd(8)}`];
  for (const [name, value] of Object.entries(values)) {
    const item = ` ${name} ${number.format(value)}`;
    if ((lines.at(-1) ?? '').length + item.length > 78) lines.push(`          ${item}`);
    else lines[lines.length - 1] += item;
  }
  return lines;
}

function preamble(seed: number): readonly string[] {
  const constants = constantsOf(classic, windowOf(MODEL, classic.window));
  return [
    `Holdover demo, seed ${seed}: a long session on a scratch copy of these sources.`,
    'No key, no network: the model is the built-in rule-following one. It sees',
    'messages and tools, and knows nothing of what keeps its context small.',
    `The catalogue believes in a window of ${number.format(BELIEVED_TOKENS)} tokens; the server gives ${number.format(ENFORCED_TOKENS)}.`,
    '',
    'What may happen, cheapest first:',
    '  [budget]            too much in one message: the largest results go to disk',
    '  [snip]              too many messages: the middle goes, one marker stays',
    '  [micro]             all but the newest results become one line each',
    '  [auto compact]      still too full: a summary takes the place of the rest',
    '  [reactive compact]  the provider says "too long": summary and newest messages',
    '  [compact]           the model asks for a summary itself',
    'Whatever leaves is archived first; the model gets it back with recall.',
    '',
    'policy classic, its constants scaled to this window:',
    ...Object.entries(constants).flatMap(([layer, values]) => constantLines(layer, values)),
    '',
  ];
}

function archiveSize(scratch: string): { items: number; bytes: number } {
  const folder = join(scratch, RESULTS_FOLDER);
  const files = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.startsWith('c_'));
  return { items: files.length, bytes: files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) };
}

interface Run {
  readonly scratch: string;
  readonly task: DemoTask;
  readonly model: LocalModel;
}

async function play({ scratch, task, model }: Run, options: DemoOptions, screen: Screen): Promise<DemoReceipt> {
  const started = performance.now();
  const lengths: number[] = [];
  let cut = 0;
  const onEvent = (event: AgentEvent): void => {
    if (event.type === 'context' && event.event.type === 'turn-accept')
      lengths.push(agent.context.history().length - 1);
    if (event.type === 'context' && event.event.type === 'turn-overflow' && event.event.what === 'cut') cut += 1;
    if (event.type === 'turn-end') screen.meter(meterLine(event.receipt));
    const line = describeEvent(event);
    if (line !== undefined && event.type !== 'session-start') screen.line(line);
  };
  const agent = await createAgent({
    workspace: scratch,
    provider: model.provider,
    model: 'rules-1',
    context: { ...MODEL, policy: classic },
    rules: RULES,
    maxRounds: 400,
    env: { PATH: process.env['PATH'] ?? '' },
    onEvent,
  });
  process.once('exit', agent.kill);
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
      cut,
      appendOnly: await appendOnlyBill(model.simulator, { history, lengths, windowTokens: ENFORCED_TOKENS }),
      archive: { ...archiveSize(scratch), ...(await redeemAll(agent.context, model.provider.codec)) },
      proof: await verifySession(locateSession(scratch, agent.sessionId)),
      failures: [
        ...checkWork(scratch, task),
        ...(result.stop === 'done' ? [] : [`the model stopped with ${result.stop}`]),
      ],
      seconds: (performance.now() - started) / 1_000,
    };
  } finally {
    process.off('exit', agent.kill);
    await agent.close();
  }
}

/** The report the agent wrote, as it stands. */
function reportLines(scratch: string, task: DemoTask): readonly string[] {
  return [
    `The report it wrote (${task.reportPath}):`,
    ...readFileSync(join(scratch, task.reportPath), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

function show(screen: Screen, lines: readonly string[]): void {
  for (const line of lines) screen.whole(line);
}

async function perform(scratch: string, options: DemoOptions, screen: Screen): Promise<number> {
  // Ids as they are in every run of a seed: the bill is the same to the token.
  const model = await startLocalModel('anthropic', ENFORCED_TOKENS, 'demo_');
  try {
    show(screen, preamble(options.seed));
    const task = createTask(scratch, sourceFiles(scratch), options.seed);
    const receipt = await play({ scratch, task, model }, options, screen);
    const broken = brokenPromises(receipt);
    screen.end();
    if (options.json) options.out(`${JSON.stringify({ ...receipt, broken }, null, 2)}\n`);
    else
      show(screen, [
        '',
        ...(receipt.failures.length === 0 ? reportLines(scratch, task) : []),
        '',
        ...receiptLines(receipt),
      ]);
    for (const line of broken.filter((text) => !receipt.failures.includes(text)))
      screen.whole(`promise       BROKEN: ${line}`);
    return broken.length === 0 ? 0 : 1;
  } finally {
    await model.simulator.close();
  }
}

/** Resolves to the exit status: 0 when all promises were kept. */
export async function demo(options: DemoOptions): Promise<number> {
  const screen = options.json ? createScreen(() => undefined, undefined) : createScreen(options.out, options.terminal);
  const scratch = createScratch();
  // At an exit in the middle something may still be writing there.
  const clean = (): void => rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  if (!options.keep) process.once('exit', clean);
  try {
    return await perform(scratch, options, screen);
  } catch (error) {
    screen.end();
    if (!options.signal.aborted) throw error;
    options.out('demo interrupted; nothing of it is kept\n');
    return INTERRUPTED_STATUS;
  } finally {
    if (options.keep) screen.whole(`scratch       ${scratch}`);
    else {
      process.off('exit', clean);
      clean();
    }
  }
}
