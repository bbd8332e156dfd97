/** `bash`: one shell command in the workspace root. Gated by permission rules only; there is no sandbox. */
import * as v from 'valibot';
import { AgentError } from '../errors.ts';
import { childEnv } from './child-env.ts';
import { defineTool, objectSchema, requiredText } from './define-tool.ts';
import { createOutputCollector } from './output-collector.ts';
import type { CommandEnd, Processes } from './processes.ts';
import type { Tool, ToolContext, ToolOutput } from './tool.ts';

export interface BashOptions {
  /** Milliseconds until a command and its children are ended. 1 to 2,147,483,647. @default 120000 */
  readonly timeoutMs?: number;
  /** Longer output keeps its beginning and its end. 200 or more. @default 50000 */
  readonly maxOutputChars?: number;
  /** Names of variables passed on although they look like secrets. @default [] */
  readonly allowEnv?: readonly string[];
}

export const DEFAULT_BASH_OPTIONS: Required<BashOptions> = { timeoutMs: 120_000, maxOutputChars: 50_000, allowEnv: [] };

/** Linux takes at most 128 KiB in one argument; longer commands belong in a script file. */
const MAX_COMMAND_BYTES = 128 * 1024 - 1;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const inputSchema = objectSchema(
  { command: { type: 'string', description: 'The command line, run by /bin/bash in the workspace root.' } },
  ['command'],
);

const schema = v.object({
  command: v.pipe(
    requiredText(),
    v.check(
      (text) => Buffer.byteLength(text) <= MAX_COMMAND_BYTES,
      `at most ${MAX_COMMAND_BYTES} bytes (write a script file and run that)`,
    ),
  ),
});

/** @throws AgentError `invalid_option` */
export function createBashTool(processes: Processes, options: BashOptions = {}): Tool {
  const settings = resolveOptions(options);
  return defineTool({
    name: 'bash',
    description:
      'Run a shell command in the workspace root and return its output (standard output and standard error). ' +
      'Every command starts in a fresh shell, and what it leaves running in the background is ended with it.',
    inputSchema,
    schema,
    access: ({ command }) => [{ kind: 'command', command }],
    run: ({ command }, context) => runCommand(command, context, { processes, settings }),
  });
}

interface BashParts {
  readonly processes: Processes;
  readonly settings: Required<BashOptions>;
}

function resolveOptions(options: BashOptions): Required<BashOptions> {
  const settings = { ...DEFAULT_BASH_OPTIONS, ...options };
  if (!(settings.timeoutMs >= 1 && settings.timeoutMs <= MAX_TIMEOUT_MS)) {
    throw new AgentError('invalid_option', `timeoutMs is ${settings.timeoutMs}; allowed: 1 to ${MAX_TIMEOUT_MS}`);
  }
  if (!(settings.maxOutputChars >= 200)) {
    throw new AgentError('invalid_option', `maxOutputChars is ${settings.maxOutputChars}; allowed: 200 or more`);
  }
  return settings;
}

async function runCommand(command: string, context: ToolContext, parts: BashParts): Promise<ToolOutput> {
  const { processes, settings } = parts;
  const collector = createOutputCollector(settings.maxOutputChars);
  const startMs = context.now();
  const end = await processes.run({
    command,
    folder: context.workspace.root,
    env: childEnv(context.env, { allowEnv: settings.allowEnv }),
    signal: context.signal,
    timeoutMs: settings.timeoutMs,
    onOutput: collector.addStream(),
  });
  const details = { ...end, durationMs: context.now() - startMs, outputChars: collector.totalChars() };
  return { ...describe(end, collector.text(), settings.timeoutMs), details };
}

function describe(end: CommandEnd, output: string, timeoutMs: number): { text: string; isError: boolean } {
  const note = endNote(end, timeoutMs);
  if (note === undefined) return { text: output === '' ? '(no output)' : output, isError: false };
  return { text: output === '' ? `(no output)\n${note}` : `${output}\n${note}`, isError: true };
}

function endNote(end: CommandEnd, timeoutMs: number): string | undefined {
  switch (end.kind) {
    case 'exited':
      return end.exitCode === 0 ? undefined : `(exit code ${end.exitCode})`;
    case 'killed':
      return `(ended by signal ${end.signalName})`;
    case 'timeout':
      return `(timed out after ${timeoutMs / 1000} s; the command and everything it started were ended)`;
    case 'aborted':
      return '(interrupted; the command and everything it started were ended)';
    case 'not_started':
      return `(the command could not be started: ${end.reason})`;
  }
}
