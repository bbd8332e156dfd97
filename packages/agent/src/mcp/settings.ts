/**
 * Settings of MCP servers, checked one by one: a server whose settings are no good is reported, the others are used. They name commands to run and
 * hosts to send secrets to, so the caller must take them from the user, never from a folder that may be a stranger's.
 */
import * as v from 'valibot';

export interface McpStdioSettings {
  readonly kind: 'stdio';
  /** Looked up on the PATH of the agent's environment; relative paths start at the workspace. */
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the filtered environment; `${NAME}` stands for a variable of the agent's, `${NAME:-text}` for one that may be missing. */
  readonly env: Readonly<Record<string, string>>;
}

export interface McpHttpSettings {
  readonly kind: 'http';
  readonly url: string;
  /** As `env` of a command: `${NAME}` is filled in. */
  readonly headers: Readonly<Record<string, string>>;
}

export type McpServerSettings = McpStdioSettings | McpHttpSettings;

export interface McpSettings {
  /** In the order of the settings. */
  readonly servers: ReadonlyMap<string, McpServerSettings>;
  /** What is wrong with the ones left out, a sentence each. */
  readonly problems: readonly string[];
}

const MAX_NAME_CHARS = 64;

const text = v.pipe(
  v.string('must be text'),
  v.check((value) => !value.includes('\0'), 'must have no NUL characters'),
);
const filled = v.pipe(text, v.minLength(1, 'must not be empty'));
const texts = v.record(text, text, 'must be an object of texts');

const stdioSchema = v.strictObject({
  type: v.optional(v.literal('stdio', 'must be "stdio" beside a command')),
  command: filled,
  args: v.optional(v.array(text, 'must be a list of texts'), []),
  env: v.optional(texts, {}),
});

const httpSchema = v.strictObject({
  type: v.optional(v.literal('http', 'must be "http" beside a url; the older SSE transport is not supported')),
  url: v.pipe(filled, v.check(isHttpUrl, 'must be an http or https address without user name and password')),
  headers: v.optional(texts, {}),
});

/** Takes the value of `mcpServers`; undefined and null are no servers. */
export function parseMcpServers(value: unknown): McpSettings {
  const servers = new Map<string, McpServerSettings>();
  const problems: string[] = [];
  if (value === undefined || value === null) return { servers, problems };
  if (typeof value !== 'object' || Array.isArray(value))
    return { servers, problems: ['mcpServers must be an object with a name for each server'] };
  for (const [name, given] of Object.entries(value)) {
    const server = nameProblem(name) ?? parseServer(given);
    if (typeof server === 'string') problems.push(`mcpServers.${shownName(name)}: ${server}`);
    else servers.set(name, server);
  }
  return { servers, problems };
}

/** The settings, or what is wrong with them. */
function parseServer(given: unknown): McpServerSettings | string {
  if (given === null || typeof given !== 'object') return 'must be an object with "command" or "url"';
  const isCommand = Object.hasOwn(given, 'command');
  if (isCommand === Object.hasOwn(given, 'url')) return 'must have either "command" or "url"';
  const parsed = isCommand ? v.safeParse(stdioSchema, given) : v.safeParse(httpSchema, given);
  if (!parsed.success) return issueText(parsed.issues[0]);
  const { output } = parsed;
  if ('command' in output) return { kind: 'stdio', command: output.command, args: output.args, env: output.env };
  return { kind: 'http', url: output.url, headers: output.headers };
}

function issueText(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? '';
  if (issue.type === 'strict_object' && issue.expected === 'never') return `"${path}" is not known`;
  return path === '' ? issue.message : `"${path}" ${issue.message}`;
}

function nameProblem(name: string): string | undefined {
  if (name === '' || name.length > MAX_NAME_CHARS) return `the name must have 1 to ${MAX_NAME_CHARS} characters`;
  return /^[\p{L}\p{N}][\p{L}\p{N}._ -]*$/u.test(name)
    ? undefined
    : 'the name must begin with a letter or digit and have only letters, digits, spaces and . _ -';
}

function shownName(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, MAX_NAME_CHARS));
}

function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

export type Filled =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly reason: string };

const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** Puts variables of `env` in the place of `${NAME}`; one that is missing and has no default is a reason to leave the server out. */
export function fillVariables(values: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>): Filled {
  const missing = new Set<string>();
  const fill = (value: string): string =>
    value.replace(VARIABLE, (_whole, name: string, fallback: string | undefined) => {
      const found = Object.hasOwn(env, name) ? env[name] : fallback;
      if (found === undefined) missing.add(name);
      return found ?? '';
    });
  const entries = Object.entries(values).map(([name, value]) => [name, fill(value)] as const);
  if (missing.size > 0) return { ok: false, reason: `the environment has no ${[...missing].join(', ')}` };
  return { ok: true, values: Object.fromEntries(entries) };
}
