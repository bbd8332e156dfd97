/**
 * Three gates before a tool runs: the deny list, the rules, the user.
 *
 * Rules: deny wins over ask, ask over allow. Without a rule, reading inside the workspace is allowed, writing
 * and running commands is asked. Of several accesses of one call the strictest verdict counts.
 */
import type { Access } from '../tools/tool.ts';
import { AGENT_FOLDERS } from '../workspace/agent-folders.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { judgeCommand } from './command-gate.ts';
import { DEFAULT_DENY_LIST, deniedBy } from './deny-list.ts';
import { isReadRestricted, judgePath } from './path-gate.ts';
import { isBroad, parseRules, type PermissionRules, type Rule, type RuleSet } from './rules.ts';
import { ALLOW, ask, deny, type Verdict } from './verdict.ts';

export interface PermissionQuestion {
  readonly tool: string;
  readonly input: unknown;
  readonly accesses: readonly Access[];
  /** Why it is asked. */
  readonly reason: string;
  /** The narrowest rule that would have allowed it. */
  readonly allowRule: string;
}

/** Asks the user. A rejection counts as a refusal. */
export type AskPort = (question: PermissionQuestion) => Promise<'allow' | 'deny'>;

export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

export interface PermissionsOptions {
  readonly workspace: Workspace;
  /** @default {} */
  readonly rules?: PermissionRules;
  /** Absent when nobody can be asked: then whatever would be asked is refused. */
  readonly ask?: AskPort;
  /** Substrings no command may contain. @default DEFAULT_DENY_LIST */
  readonly denyList?: readonly string[];
  /** Names of files and folders that only a rule naming them opens for writing. @default .git and the agent's own folders */
  readonly protectedNames?: readonly string[];
}

export const DEFAULT_PERMISSIONS_OPTIONS: Required<Pick<PermissionsOptions, 'rules' | 'denyList' | 'protectedNames'>> =
  { rules: {}, denyList: DEFAULT_DENY_LIST, protectedNames: ['.git', ...AGENT_FOLDERS] };

export interface Permissions {
  /** Never rejects. `accesses` is what the tool's `access(input)` said; an empty list is asked about. */
  decide(tool: string, input: unknown, accesses: readonly Access[]): Promise<Decision>;
  /** Whether a deny or ask rule keeps this workspace-relative path from being shown; see `ToolContext.mayRead`. */
  mayRead(relativePath: string): boolean;
}

interface Gates {
  readonly workspace: Workspace;
  readonly rules: RuleSet;
  readonly denyList: readonly string[];
  readonly protectedNames: readonly string[];
}

/** @throws AgentError `invalid_rule` */
export function createPermissions(options: PermissionsOptions): Permissions {
  const gates: Gates = {
    workspace: options.workspace,
    rules: parseRules(options.rules ?? DEFAULT_PERMISSIONS_OPTIONS.rules),
    denyList: options.denyList ?? DEFAULT_PERMISSIONS_OPTIONS.denyList,
    protectedNames: options.protectedNames ?? DEFAULT_PERMISSIONS_OPTIONS.protectedNames,
  };
  return {
    async decide(tool, input, accesses) {
      const verdict = judge(tool, accesses, gates);
      if (verdict.kind === 'allow') return { allowed: true };
      if (verdict.kind === 'deny') return refuse(`${tool} was not run: ${verdict.reason}.`);
      if (options.ask === undefined) return refuse(unattended(tool, verdict));
      const { reason, allowRule } = verdict;
      return askUser(options.ask, { tool, input, accesses, reason, allowRule });
    },
    mayRead: (path) => !isReadRestricted(path, gates.rules),
  };
}

const STRICTNESS: Readonly<Record<Verdict['kind'], number>> = { allow: 0, ask: 1, deny: 2 };

function judge(tool: string, accesses: readonly Access[], gates: Gates): Verdict {
  if (accesses.length === 0) return ask('the tool does not say what it touches', tool);
  return accesses
    .map((access) => judgeAccess(access, tool, gates))
    .reduce(
      (strictest, verdict) => (STRICTNESS[verdict.kind] > STRICTNESS[strictest.kind] ? verdict : strictest),
      ALLOW,
    );
}

function judgeAccess(access: Access, tool: string, gates: Gates): Verdict {
  switch (access.kind) {
    case 'command': {
      const entry = deniedBy(access.command, gates.denyList);
      if (entry !== undefined) return deny(`the deny list forbids ${JSON.stringify(entry)}`);
      return judgeCommand(access.command, tool, gates.rules);
    }
    case 'read':
    case 'write':
      return judgePath(access, tool, gates);
    case 'none':
      return judgeUse(tool, gates.rules);
  }
}

/** A tool that touches nothing is allowed unless a rule is about the tool as such. */
function judgeUse(tool: string, rules: RuleSet): Verdict {
  const concerns = (rule: Rule): boolean => isBroad(rule) && (rule.tool === '*' || rule.tool === tool);
  const denied = rules.deny.find(concerns);
  if (denied !== undefined) return deny(`the rule ${denied.text} forbids it`);
  const asked = rules.ask.find(concerns);
  return asked === undefined ? ALLOW : ask(`the rule ${asked.text} says to ask`, 'none while that rule stands');
}

async function askUser(port: AskPort, question: PermissionQuestion): Promise<Decision> {
  try {
    // anything but a plain yes is a no
    if ((await port(question)) === 'allow') return { allowed: true };
    return refuse(`The user declined to run ${question.tool}.`);
  } catch {
    return refuse(`${question.tool} was not run: the user could not be asked.`);
  }
}

function unattended(tool: string, verdict: { readonly reason: string; readonly allowRule: string }): string {
  return `${tool} was not run: ${verdict.reason}, and nobody can be asked. A rule that would allow it: ${verdict.allowRule}`;
}

function refuse(reason: string): Decision {
  return { allowed: false, reason };
}
