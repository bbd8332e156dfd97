/**
 * The user's shell commands as hooks. One protocol for all of them: the event as one JSON object on standard input, and then
 *
 * | exit code | standard output             | means                                                    |
 * | --------- | --------------------------- | -------------------------------------------------------- |
 * | 0         | nothing                     | no answer                                                |
 * | 0         | `{ "block": "why" }`        | a block                                                  |
 * | 0         | `{ "text": "…" }`, any text | a text                                                   |
 * | 2         |                             | a block; why is on standard error                        |
 * | other     |                             | the hook failed: reported, and as if it had not been there |
 *
 * | event            | besides `event`, `sessionId`, `cwd`               | a text                     | a block                                 |
 * | ---------------- | ------------------------------------------------- | -------------------------- | --------------------------------------- |
 * | UserPromptSubmit | `prompt`                                          | is added to the prompt     | reported: there is nothing to block     |
 * | PreToolUse       | `tool`, `callId`, `input`                         | is let go                  | the call is not run; the model reads why |
 * | PostToolUse      | `tool`, `callId`, `input`, `output`, `isError`    | is let go                  | reported                                |
 * | Stop             | `messages`, how many there are                    | is let go                  | the model goes on, told why             |
 * | PreCompact       | `trigger`, `focus`                                | is added to the instructions | no compaction                         |
 * | PostCompact      | `trigger`, `summary`, `tokensBefore`, `tokensAfter` | is let go                | reported                                |
 * | SessionStart     | `source`                                          | is added to the context    | reported                                |
 */
import { childEnv } from '../tools/child-env.ts';
import type { HookEvent, Hooks, OneHookOptions } from './hooks.ts';
import type { CommandHook, HookSettings } from './hook-settings.ts';
import {
  createHookProcesses,
  type HookEnd,
  type HookProcesses,
  MAX_ANSWER_CHARS,
  MAX_HOOK_CHARS,
} from './run-command.ts';
import { head } from '../tools/cut-text.ts';

export interface ShellHookOptions {
  readonly hooks: Hooks<object>;
  /** Where the commands run: the workspace. */
  readonly cwd: string;
  /** What commands see, before secrets are filtered out. */
  readonly env: Readonly<Record<string, string>>;
  /** Asked each time: `/clear` begins another session. */
  readonly sessionId: () => string;
}

export interface ShellHooks {
  /** Takes the hooks out again. */
  off(): void;
  /** Ends commands at once: for a handler of the process's own exit, and for interrupts. */
  kill(): void;
}

export const DEFAULT_HOOK_TIMEOUT_MS = 10_000;

/** What ending a command may take behind its own time, milliseconds: the guard around it waits that much longer. */
const ENDING_MS = 2_000;

/** What a command said. */
type Said = { readonly text: string } | { readonly block: string } | undefined;

interface Shell extends ShellHookOptions {
  readonly processes: HookProcesses;
}

const NO_REASON = 'a hook blocked it and did not say why';

function parsed(stdout: string): Said {
  if (stdout === '') return undefined;
  if (!stdout.startsWith('{')) return { text: head(stdout, MAX_HOOK_CHARS) };
  try {
    return answerOf(JSON.parse(stdout) as { readonly block?: unknown; readonly text?: unknown });
  } catch {
    // What is cut may have been a block.
    if (stdout.length >= MAX_ANSWER_CHARS) return { block: 'a hook said more than can be read' };
    return { text: head(stdout, MAX_HOOK_CHARS) };
  }
}

/** Whoever says `block` means it, with or without words. */
function answerOf({ block = false, text }: { readonly block?: unknown; readonly text?: unknown }): Said {
  if (typeof block === 'string') return { block: head(block, MAX_HOOK_CHARS) };
  if (block !== false && block !== null) return { block: NO_REASON };
  return typeof text === 'string' && text !== '' ? { text: head(text, MAX_HOOK_CHARS) } : undefined;
}

/** Throws for a command that failed: the hooks report it and go on. */
function saidBy(end: HookEnd, command: string): Said {
  if (end.kind === 'failed') throw new Error(`the hook ${JSON.stringify(command)} did not end: ${end.reason}`);
  if (end.exitCode === 0) return parsed(end.stdout);
  if (end.exitCode === 2) return { block: end.stderr === '' ? NO_REASON : end.stderr };
  const words = end.stderr === '' ? end.stdout : end.stderr;
  throw new Error(`the hook ${JSON.stringify(command)} failed with exit code ${end.exitCode}: ${words.slice(0, 500)}`);
}

async function run(shell: Shell, hook: CommandHook, about: { readonly event: HookEvent }): Promise<Said> {
  const { cwd, env, sessionId, processes } = shell;
  const { event, ...data } = about;
  const end = await processes.run({
    command: hook.command,
    folder: cwd,
    env: childEnv(env),
    input: `${JSON.stringify({ event, sessionId: sessionId(), cwd, ...data })}\n`,
    timeoutMs: hook.timeoutMs ?? DEFAULT_HOOK_TIMEOUT_MS,
  });
  return saidBy(end, hook.command);
}

function textOf(said: Said): string | undefined {
  if (said !== undefined && 'block' in said) throw new Error(`there is nothing to block here: ${said.block}`);
  return said?.text;
}

function blockOf(said: Said): string | undefined {
  return said !== undefined && 'block' in said ? said.block : undefined;
}

function concerns({ matcher = '*' }: CommandHook, tool: string): boolean {
  return matcher === '*' || matcher.split('|').includes(tool);
}

type Register = (shell: Shell, hook: CommandHook, options: OneHookOptions) => () => void;

/** How each event asks its command, and what it makes of the answer. */
const REGISTER: Readonly<Record<HookEvent, Register>> = {
  UserPromptSubmit: (shell, hook, options) =>
    shell.hooks.on(
      'UserPromptSubmit',
      async (prompt) => textOf(await run(shell, hook, about('UserPromptSubmit', { prompt }))),
      options,
    ),
  PreToolUse: (shell, hook, options) =>
    shell.hooks.on(
      'PreToolUse',
      async ({ id, name, input }) => {
        if (!concerns(hook, name)) return undefined;
        return blockOf(await run(shell, hook, about('PreToolUse', { tool: name, callId: id, input })));
      },
      options,
    ),
  PostToolUse: (shell, hook, options) =>
    shell.hooks.on(
      'PostToolUse',
      async ({ id, name, input }, { text, isError }) => {
        if (!concerns(hook, name)) return;
        const data = { tool: name, callId: id, input, output: text, isError };
        textOf(await run(shell, hook, about('PostToolUse', data)));
      },
      options,
    ),
  Stop: (shell, hook, options) =>
    shell.hooks.on(
      'Stop',
      async (messages) => blockOf(await run(shell, hook, about('Stop', { messages: messages.length }))),
      options,
    ),
  PreCompact: (shell, hook, options) =>
    shell.hooks.on(
      'PreCompact',
      async ({ trigger, focus }) => {
        const said = await run(shell, hook, about('PreCompact', { trigger, focus }));
        return said !== undefined && 'block' in said ? said : said?.text;
      },
      options,
    ),
  PostCompact: (shell, hook, options) =>
    shell.hooks.on(
      'PostCompact',
      async (compaction) => void textOf(await run(shell, hook, about('PostCompact', { ...compaction }))),
      options,
    ),
  SessionStart: (shell, hook, options) =>
    shell.hooks.on(
      'SessionStart',
      async ({ source }) => textOf(await run(shell, hook, about('SessionStart', { source }))),
      options,
    ),
};

function about(event: HookEvent, data: object): { readonly event: HookEvent } {
  return { ...data, event };
}

/** Registers the commands of `settings`, which come from the user and never from the folder that is worked in. */
export function shellHooks(settings: HookSettings, options: ShellHookOptions): ShellHooks {
  const processes = createHookProcesses();
  const shell = { ...options, processes };
  const offs = Object.entries(REGISTER).flatMap(([event, register]) =>
    (settings[event as HookEvent] ?? []).map((hook) =>
      register(shell, hook, { timeoutMs: (hook.timeoutMs ?? DEFAULT_HOOK_TIMEOUT_MS) + ENDING_MS }),
    ),
  );
  return {
    off() {
      for (const off of offs) off();
    },
    kill: () => processes.kill(),
  };
}
