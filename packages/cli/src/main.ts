/** The one binary. Parses the command line, wires settings to a command, turns errors into one line and a status. */
import { dirname } from 'node:path';
import { AgentError, type SessionChoice } from '@holdover/agent';
import { ContextError, redactSecrets } from '@holdover/engine';
import { Command, CommanderError, Option } from 'commander';
import { config } from './commands/config.ts';
import { CliError } from './errors.ts';
import { messageOf as inOwnWords } from './interactive/run-note.ts';
import { sanitise } from './interactive/text/sanitise.ts';
import { DEFINITIONS } from './settings/definitions.ts';
import { defaultSettingsFile, type LoadedSettings, loadSettings } from './settings/load.ts';

/**
 * Exit statuses: 1 for what went wrong while working, 2 for a command line or setting that is no good, 130 after an interrupt, 141
 * when nobody reads the output any more.
 */
const STATUS = { failed: 1, usage: 2, interrupted: 130, brokenPipe: 141 } as const;

/** The version of this package and of the others, which go together. */
const VERSION = '0.1.0';

/** Attribute names commander makes of the flags whose setting is called otherwise. */
const FLAG_KEYS: Readonly<Record<string, string>> = {
  window: 'windowTokens',
  maxOutput: 'maxOutputTokens',
  thinking: 'thinkingTokens',
  wireFormat: 'format',
};

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function addSettingFlags(command: Command): Command {
  for (const { flag, about, env, kind } of DEFINITIONS) {
    if (flag === undefined) continue;
    const option = new Option(flag, `${about} (${env})`);
    command.addOption(kind === 'list' ? option.argParser(collect) : option);
  }
  return command.addOption(new Option('--settings <file>', 'settings file to read'));
}

/** `own`: flags of the command itself that share their name with one of a setting. */
function settingsOf(command: Command, own: readonly string[] = []): LoadedSettings {
  const given = { ...command.optsWithGlobals<Record<string, unknown>>() };
  for (const name of own) delete given[name];
  const flags = Object.fromEntries(Object.entries(given).map(([name, value]) => [FLAG_KEYS[name] ?? name, value]));
  const file = given['settings'];
  return loadSettings({ env: process.env, flags, file: typeof file === 'string' ? file : undefined });
}

interface SessionFlags {
  readonly continue?: boolean;
  readonly resume?: string;
  readonly fork?: boolean;
}

function sessionOf(options: SessionFlags): SessionChoice {
  if (options.continue === true && options.resume !== undefined) {
    throw new CliError(
      'bad_usage',
      '--continue and --resume exclude each other; --resume names the session, --continue takes the newest',
    );
  }
  if (options.fork === true) {
    if (options.continue !== true && options.resume === undefined)
      throw new CliError('bad_usage', '--fork copies a session: add --continue for the newest, or --resume <id>');
    return options.resume === undefined ? { kind: 'fork' } : { kind: 'fork', id: options.resume };
  }
  if (options.resume !== undefined) return { kind: 'resume', id: options.resume };
  return { kind: options.continue === true ? 'continue' : 'new' };
}

function out(text: string): void {
  process.stdout.write(text);
}

function err(text: string): void {
  process.stderr.write(text);
}

/** Ends quietly when the other end of a pipe is gone, as `| head -1` leaves it. */
function endWithPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(STATUS.brokenPipe);
}

/** Aborts on the first Ctrl-C or request to end; the second ends the process the usual way. */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => controller.abort());
  return controller.signal;
}

async function readInput(): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString('utf8');
}

function definedEnv(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function userFolder(): string {
  return dirname(defaultSettingsFile(process.env));
}

async function printCommand(this: Command, options: SessionFlags & { readonly print?: string }): Promise<void> {
  const [unknown] = this.args;
  if (unknown !== undefined) {
    const names = this.commands.map((command) => command.name()).join(', ');
    throw new CliError(
      'bad_usage',
      `there is no command ${JSON.stringify(unknown)}; there are ${names}, and -p for a prompt`,
    );
  }
  if (options.print === undefined) return interactiveCommand(this, sessionOf(options));
  const prompt = options.print === '-' ? await readInput() : options.print;
  if (prompt.trim() === '') throw new CliError('bad_usage', 'the prompt is empty; say what is to be done');
  const { print } = await import('./commands/print.ts');
  process.exitCode = await print({
    prompt,
    settings: settingsOf(this).settings,
    session: sessionOf(options),
    folder: process.cwd(),
    userFolder: userFolder(),
    env: definedEnv(),
    signal: interruptSignal(),
    isTerminal: process.stdout.isTTY === true,
    out,
    err,
  });
}

async function interactiveCommand(command: Command, session: SessionChoice): Promise<void> {
  const { interactive } = await import('./commands/interactive.ts');
  process.exitCode = await interactive({
    settings: () => settingsOf(command).settings,
    session,
    folder: process.cwd(),
    configFolder: userFolder(),
    env: definedEnv(),
    out,
  });
}

async function demoCommand(
  this: Command,
  options: { readonly seed: string; readonly json?: boolean; readonly keep?: boolean },
): Promise<void> {
  if (!/^\d{1,9}$/.test(options.seed))
    throw new CliError(
      'bad_usage',
      `--seed is ${JSON.stringify(options.seed)}; allowed: a whole number from 0 to 999999999`,
    );
  const { demo } = await import('./commands/demo.ts');
  process.exitCode = await demo({
    seed: Number(options.seed),
    json: options.json === true,
    keep: options.keep === true,
    signal: interruptSignal(),
    terminal: process.stdout.isTTY ? { columns: process.stdout.columns } : undefined,
    out,
  });
}

interface ReplayFlags {
  readonly policy: string;
  readonly prices: string;
  readonly probes?: boolean;
  readonly json?: boolean;
}

const DEFAULT_CONTEST = 'append-only,classic';

function addReplayCommand(program: Command): void {
  program
    .command('replay')
    .argument('<session>', 'a session file of pi, Claude Code or Holdover')
    .description('a recorded session under other policies: what it would have cost, and what would have been missing')
    .option('--policy <names>', 'policies, by commas', DEFAULT_CONTEST)
    .option(
      '--prices <name>',
      'anthropic, anthropic-1h, openai, deepseek, none, the id of a model, or a JSON file',
      'anthropic',
    )
    .option(
      '--probes',
      'what is kept over compactions too: files, commands, failing tests, errors, instructions, ids, todos',
    )
    .option('--json', 'as JSON')
    .action(async function action(this: Command, file: string, flags: ReplayFlags) {
      const { replayCommand } = await import('./commands/replay.ts');
      const { windowTokens } = settingsOf(this, ['policy']).settings;
      // The program takes a flag it knows wherever it stands.
      const { policy } = this.optsWithGlobals<ReplayFlags>();
      await replayCommand({
        file,
        policies: policy.split(',').map((name) => name.trim()),
        prices: flags.prices,
        windowTokens: windowTokens === 'auto' ? 200_000 : windowTokens,
        probes: flags.probes === true,
        json: flags.json === true,
        out,
      });
    });
}

/** Commands about what is there, rather than work to be done. */
function addSessionCommands(program: Command): void {
  program
    .command('doctor')
    .description('checks key, model, window, cache, permissions and disk, and says what to do')
    .option('--online', 'try the prompt cache too: two requests of about 5,000 tokens, which are billed')
    .option('--json', 'as JSON')
    .action(async function action(this: Command, options: { readonly online?: boolean; readonly json?: boolean }) {
      const { doctor } = await import('./commands/doctor.ts');
      process.exitCode = await doctor({
        settings: settingsOf(this).settings,
        folder: process.cwd(),
        env: definedEnv(),
        isOnline: options.online === true,
        json: options.json === true,
        signal: interruptSignal(),
        out,
      });
    });
  program
    .command('export')
    .argument('[id]', 'the session; the newest where none is named')
    .description('a session as Markdown or JSON on standard output, secrets taken out')
    .option('--format <name>', 'md or json', 'md')
    .action(async (id: string | undefined, { format }: { readonly format: string }) => {
      const { exportCommand } = await import('./commands/export.ts');
      await exportCommand({ folder: process.cwd(), id, format, out });
    });
}

function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .argument('[session]', 'the session, by id or by the path of its log; the newest where none is named')
    .description('proves from log and archive that each request began with the last, and that nothing was lost')
    .option('--json', 'as JSON')
    .action(async (session: string | undefined, options: { readonly json?: boolean }) => {
      const { verify } = await import('./commands/verify.ts');
      process.exitCode = await verify({ folder: process.cwd(), session, json: options.json === true, out, err });
    });
}

function addArchiveCommand(program: Command): void {
  const archive = program
    .command('archive')
    .description('the texts that left the context: what is kept, and letting go of it');
  archive
    .command('stats')
    .description('how many texts there are, and how many no session speaks of')
    .option('--json', 'as JSON')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { archiveStats } = await import('./commands/archive.ts');
      await archiveStats({ folder: process.cwd(), json: json === true, out });
    });
  archive
    .command('prune')
    .description('removes texts no session of this folder speaks of; a session in use keeps all of its own')
    .option('--older-than <age>', 'those of sessions not used for so long too, such as 30d or 12h')
    .option('--dry-run', 'only say what would go')
    .option('--json', 'as JSON')
    .action(async (flags: { readonly olderThan?: string; readonly dryRun?: boolean; readonly json?: boolean }) => {
      const { archivePrune } = await import('./commands/archive.ts');
      const { olderThan, dryRun = false, json = false } = flags;
      await archivePrune({ folder: process.cwd(), olderThan, isDryRun: dryRun, json, out });
    });
}

function buildProgram(): Command {
  const program = new Command('holdover')
    .description('An agent that works without end inside a finite context window.')
    .version(VERSION)
    .allowExcessArguments()
    .option(
      '-p, --print <prompt>',
      'work on one prompt in the current folder and print the answer; - reads it from standard input',
    )
    .option('--continue', 'go on with the newest session of this folder')
    .option('--resume <id>', 'go on with a session by its id')
    .option('--fork', 'with --continue or --resume: go on in a copy, the session stays as it is')
    .exitOverride();
  addSettingFlags(program).action(printCommand);
  program
    .command('demo')
    .description('a long session on these sources against the built-in provider: every layer, and a receipt')
    .option('--seed <number>', 'another session for every number', '1')
    .option('--json', 'print the receipt as JSON and check it')
    .option('--keep', 'keep the scratch folder')
    .action(demoCommand);
  program
    .command('config')
    .description('each effective setting and where it came from')
    .option('--json', 'as JSON')
    .option('--schema', 'the JSON Schema of the settings file')
    .action(function action(this: Command, options: { readonly json?: boolean; readonly schema?: boolean }) {
      config(settingsOf(this), { json: options.json === true, schema: options.schema === true, write: out });
    });
  addSessionCommands(program);
  addReplayCommand(program);
  addVerifyCommand(program);
  addArchiveCommand(program);
  return program;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'APIUserAbortError');
}

/** Codes of a file system that will not have a folder made. */
const NOT_WRITABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT']);

/** Sessions are kept in the folder itself: where nothing can be written there is nothing to begin with. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A session that could not be made says so in its own error, whose cause is the file system's.
  const failure = error.cause instanceof Error ? error.cause : error;
  const { syscall, code = '', path } = failure as NodeJS.ErrnoException;
  if (syscall !== 'mkdir' || !NOT_WRITABLE.has(code) || path?.startsWith(process.cwd()) !== true)
    return inOwnWords(error);
  return `${process.cwd()} may not be written to (${code}), and sessions are kept in the folder they work in; start in another one`;
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : STATUS.usage;
  if (isAbort(error)) {
    err('interrupted; the session is kept, --continue goes on with it\n');
    return STATUS.interrupted;
  }
  // It may quote a server, a file or a setting.
  err(`holdover: ${sanitise(redactSecrets(messageOf(error)).text)}\n`);
  if (error instanceof CliError) return STATUS.usage;
  if (error instanceof AgentError || error instanceof ContextError) return STATUS.failed;
  if (process.env['HOLDOVER_DEBUG'] !== undefined && error instanceof Error) err(`${error.stack ?? ''}\n`);
  return STATUS.failed;
}

export async function main(argv: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithPipe);
  try {
    await buildProgram().parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error);
  }
}
