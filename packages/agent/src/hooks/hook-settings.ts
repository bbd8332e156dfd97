/** Hooks as shell commands in the user's settings: `{ "PreToolUse": [{ "matcher": "bash|write_file", "command": "…", "timeoutMs": 5000 }] }`. */
import * as v from 'valibot';
import { AgentError } from '../errors.ts';

export interface CommandHook {
  /** Names of tools joined by `|`, or `*`; for the two hooks about tools only. @default '*' */
  readonly matcher?: string | undefined;
  /** A line for `/bin/bash`, run in the workspace. */
  readonly command: string;
  /** Milliseconds until the command and all it started are ended, 1 to 600,000. @default 10000, as for functions */
  readonly timeoutMs?: number | undefined;
}

type ToolEvent = 'PreToolUse' | 'PostToolUse';
type PlainEvent = 'UserPromptSubmit' | 'Stop' | 'PreCompact' | 'PostCompact' | 'SessionStart';

export type HookSettings = { readonly [Event in ToolEvent | PlainEvent]?: readonly CommandHook[] | undefined };

export const MAX_HOOK_TIMEOUT_MS: number = 600_000;

/** Names, never patterns: a matcher that means something else than it reads as would leave a gate open. */
const MATCHER = /^(?:\*|[A-Za-z_][\w.-]*(?:\|[A-Za-z_][\w.-]*)*)$/;

const MAX_COMMAND_CHARS = 10_000;

const plain = {
  command: v.pipe(
    v.string('a command line'),
    v.check((text) => text.trim() !== '', 'a command line that says something'),
    v.check((text) => !text.includes('\0'), 'a command line without NUL characters'),
    v.maxLength(MAX_COMMAND_CHARS, `at most ${MAX_COMMAND_CHARS} characters; put more into a script`),
  ),
  timeoutMs: v.optional(
    v.pipe(
      v.number('a number of milliseconds'),
      v.integer('a whole number of milliseconds'),
      v.minValue(1, 'at least 1'),
      v.maxValue(MAX_HOOK_TIMEOUT_MS, `at most ${MAX_HOOK_TIMEOUT_MS}`),
    ),
  ),
};
const plainHooks = v.optional(v.array(v.strictObject(plain), 'a list of { command, timeoutMs? }'));
const toolHooks = v.optional(
  v.array(
    v.strictObject({
      ...plain,
      matcher: v.optional(
        v.pipe(v.string('a text'), v.regex(MATCHER, 'names of tools joined by |, or * for all; no patterns')),
      ),
    }),
    'a list of { matcher?, command, timeoutMs? }',
  ),
);

const schema = v.strictObject(
  {
    UserPromptSubmit: plainHooks,
    PreToolUse: toolHooks,
    PostToolUse: toolHooks,
    Stop: plainHooks,
    PreCompact: plainHooks,
    PostCompact: plainHooks,
    SessionStart: plainHooks,
  },
  'an object of hooks by event',
);

/** @throws AgentError `invalid_option` naming the place and what has to stand there */
export function parseHookSettings(value: unknown): HookSettings {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const place = ['hooks', ...(issue.path ?? []).map(({ key }) => String(key))].join('.');
  throw new AgentError('invalid_option', `${place}: ${wantedBy(issue)}`);
}

function wantedBy({ expected, received, message }: v.BaseIssue<unknown>): string {
  if (expected === 'never') return 'there is no such member';
  return received === 'undefined' ? 'it is missing' : `it has to be ${message}`;
}
