/**
 * The soak: `npm run soak -- --turns 2000 [--seed 1] [--format anthropic|openai-chat|both] [--policy classic|economic|both] [--json]`. Turns with
 * sub-agents and faults at random, by seed, shared out among one session for each format and policy; exit code 1 and a line for each figure that is
 * missed.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compiled } from './compile.ts';
import { missed, table } from './figures.ts';
import { FORMATS, type Format, POLICIES, type PolicyName, type RunOptions, type RunReport } from './protocol.ts';

interface Options {
  readonly turns: number;
  readonly seed: number;
  readonly sessions: readonly { readonly format: Format; readonly policy: PolicyName }[];
  readonly isJson: boolean;
}

/** Those of `names` that are meant by `value`. */
function chosen<Name extends string>(option: string, value: string, names: readonly Name[]): readonly Name[] {
  const wanted = names.filter((name) => value === 'both' || value === name);
  if (wanted.length === 0) throw new Error(`--${option} takes ${names.join(', ')} or both`);
  return wanted;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      turns: { type: 'string', default: '2000' },
      seed: { type: 'string', default: '1' },
      format: { type: 'string', default: 'both' },
      policy: { type: 'string', default: 'both' },
      json: { type: 'boolean', default: false },
    },
  });
  const [turns, seed] = [Number(values.turns), Number(values.seed)];
  if (![turns, seed].every((value) => Number.isInteger(value) && value >= 1))
    throw new Error('--turns and --seed take whole numbers from 1');
  const policies = chosen('policy', values.policy, POLICIES);
  const sessions = chosen('format', values.format, FORMATS).flatMap((format) =>
    policies.map((policy) => ({ format, policy })),
  );
  return { turns, seed, sessions, isJson: values.json };
}

/** For work on the soak: no build is needed then, and the loader counts as memory. */
const isFromSource = process.execArgv.some((argument) => argument.includes('@holdover/source'));

function program(): string {
  return isFromSource ? fileURLToPath(new URL('./run.ts', import.meta.url)) : compiled('run');
}

/** Rejects where the process ends without a report. */
function run(options: RunOptions): Promise<RunReport> {
  return new Promise((resolve, reject) => {
    const child = fork(program(), {
      // As the binary starts: V8's young generation stays small, which is what a process that waits for a model needs.
      execArgv: [...(isFromSource ? process.execArgv : []), '--expose-gc', '--max-semi-space-size=4'],
      // Lines of progress are for people: nothing but JSON on standard output where that was asked for.
      stdio: ['ignore', process.argv.includes('--json') ? 2 : 'inherit', 'inherit', 'ipc'],
    });
    let report: RunReport | undefined;
    child.on('message', (message) => {
      report = message as RunReport;
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (report !== undefined && code === 0) resolve(report);
      else reject(new Error(`the run of ${options.format}, ${options.policy}, ended with code ${code}`));
    });
    child.send(options);
  });
}

async function main(): Promise<void> {
  const { turns, seed, sessions, isJson } = readOptions();
  const reports: RunReport[] = [];
  for (const session of sessions)
    reports.push(await run({ ...session, seed, turns: Math.ceil(turns / sessions.length) }));
  const lines = reports.flatMap(missed);
  if (isJson) process.stdout.write(`${JSON.stringify({ turns, seed, missed: lines, reports }, undefined, 2)}\n`);
  else process.stdout.write(table(reports));
  for (const line of lines) process.stderr.write(`MISSED: ${line}\n`);
  process.exitCode = lines.length === 0 ? 0 : 1;
}

await main();
