/**
 * Three gates before a tool runs: the deny list, the rules, the user.
 *
 * Rules: deny wins over ask, ask over allow. Without a rule, reading inside the workspace is allowed, writing
 * and running commands is asked. Of several accesses of one call the strictest verdict counts. What the user had
 * remembered counts as rules do, except that it opens nothing protected.
 */
import { cutEnd } from '../tools/cut-text.ts';
import type { Access } from '../tools/tool.ts';
import { AGENT_FOLDERS } from '../workspace/agent-folders.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { DEFAULT_DENY_LIST } from './deny-list.ts';
import { type Gates, judge } from './judge.ts';
import { isReadRestricted } from './path-gate.ts';
import type { RuleScope, RuleStore } from './rule-store.ts';
import { parseRemembered, type PermissionRules, type RememberedRule, type RuleKind } from './rules.ts';
import { createRuleBook, type KnownRule } from './rule-book.ts';
import type { Offer, Verdict } from './verdict.ts';

export interface PermissionQuestion {
  readonly tool: string;
  readonly input: unknown;
  readonly accesses: readonly Access[];
  /** Why it is asked. */
  readonly reason: string;
  /** The narrowest rule that would have allowed it. */
  readonly allowRule: string;
  /** What may be remembered, narrowest first: this very access, perhaps something wider. Empty: nothing may. */
  readonly offers: readonly string[];
}

/** The short answers, or what to remember and why not. `rule`: one of the question's `offers`. @default the first */
export type PermissionAnswer =
  | 'allow'
  | 'deny'
  | { readonly allow: true; readonly remember?: RuleScope; readonly rule?: string }
  | { readonly allow: false; readonly reason?: string; readonly remember?: RuleScope; readonly rule?: string };

/** Asks the user; one question at a time. A rejection counts as a refusal. */
export type AskPort = (question: PermissionQuestion) => Promise<PermissionAnswer>;

export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

export interface PermissionsOptions {
  readonly workspace: Workspace;
  /** @default {} */
  readonly rules?: PermissionRules;
  /** Absent when nobody can be asked: then whatever would be asked is refused. */
  readonly ask?: AskPort;
  /** Where remembered rules are kept. @default in memory, for the session only */
  readonly store?: RuleStore;
  /** Told what could not be remembered, and which kept rules cannot be read. @default ignores */
  readonly onProblem?: (message: string) => void;
  /** Substrings no command may contain. @default DEFAULT_DENY_LIST */
  readonly denyList?: readonly string[];
  /** Names of files and folders that only a rule of the settings naming them opens for writing. @default .git and the agent's own folders */
  readonly protectedNames?: readonly string[];
}

export const DEFAULT_PERMISSIONS_OPTIONS: Required<Pick<PermissionsOptions, 'rules' | 'denyList' | 'protectedNames'>> =
  { rules: {}, denyList: DEFAULT_DENY_LIST, protectedNames: ['.git', ...AGENT_FOLDERS] };

export interface Permissions {
  /** Never rejects. `accesses` is what the tool's `access(input)` said; an empty list is asked about. */
  decide(tool: string, input: unknown, accesses: readonly Access[]): Promise<Decision>;
  /** Whether a deny or ask rule keeps this workspace-relative path from being shown; see `ToolContext.mayRead`. */
  mayRead(relativePath: string): boolean;
  /** Every rule in force and where it comes from. */
  rules(): readonly KnownRule[];
  /** Remembers a rule as the user wrote it. Rejects with `invalid_rule` or `rules_not_kept`. `kind`: @default 'allow' */
  remember(text: string, scope: RuleScope, kind?: RuleKind): Promise<void>;
  /** Forgets remembered rules of this text; false where there is none, settings among them. Rejects with `rules_not_kept`. */
  forget(text: string): Promise<boolean>;
}

/** Characters of the user's reason the model is told. */
const MAX_REASON_CHARS = 2_000;

/** @throws AgentError `invalid_rule` */
export function createPermissions(options: PermissionsOptions): Permissions {
  const onProblem = options.onProblem ?? (() => undefined);
  const book = createRuleBook({ settings: options.rules ?? {}, store: options.store, onProblem });
  const gates = (): Gates => ({
    workspace: options.workspace,
    rules: book.ruleSet(),
    denyList: options.denyList ?? DEFAULT_PERMISSIONS_OPTIONS.denyList,
    protectedNames: options.protectedNames ?? DEFAULT_PERMISSIONS_OPTIONS.protectedNames,
    rulesFolder: options.store?.folder,
  });
  const keep: Keep = (rule, scope) =>
    book.add(rule, scope).catch((error: unknown) => {
      onProblem(error instanceof Error ? error.message : String(error));
    });
  let turn: Promise<unknown> = Promise.resolve();
  return {
    async decide(tool, input, accesses) {
      const early = settled(tool, judge(tool, accesses, gates()), options.ask);
      if (early !== undefined) return early;
      // One question at a time; the answer to the one before may have settled this one.
      const mine = turn.then(() => {
        const verdict = judge(tool, accesses, gates());
        const { ask } = options;
        if (verdict.kind !== 'ask' || ask === undefined) return settled(tool, verdict, ask) ?? refuse('');
        return askUser({ ask, keep, offers: verdict.offers }, { ...questionOf(verdict), tool, input, accesses });
      });
      turn = mine;
      return mine;
    },
    mayRead: (path) => !isReadRestricted(path, book.ruleSet()),
    rules: () => book.rules(),
    async remember(text, scope, kind = 'allow') {
      parseRemembered({ kind, text });
      await book.add({ kind, text }, scope);
    },
    forget: (text) => book.remove(text),
  };
}

/** The decision where nobody has to be asked. */
function settled(tool: string, verdict: Verdict, port: AskPort | undefined): Decision | undefined {
  if (verdict.kind === 'allow') return { allowed: true };
  if (verdict.kind === 'deny') return refuse(`${tool} was not run: ${verdict.reason}.`);
  return port === undefined ? refuse(unattended(tool, verdict)) : undefined;
}

function questionOf({
  reason,
  allowRule,
  offers,
}: Extract<Verdict, { kind: 'ask' }>): Pick<PermissionQuestion, 'reason' | 'allowRule' | 'offers'> {
  return { reason, allowRule, offers: offers.map(({ text }) => text) };
}

type Keep = (rule: RememberedRule, scope: RuleScope) => Promise<void>;

interface Asking {
  readonly ask: AskPort;
  readonly keep: Keep;
  readonly offers: readonly Offer[];
}

async function askUser({ ask, keep, offers }: Asking, question: PermissionQuestion): Promise<Decision> {
  let answer: PermissionAnswer;
  try {
    answer = await ask(question);
  } catch {
    return refuse(`${question.tool} was not run: the user could not be asked.`);
  }
  if (answer === 'allow') return { allowed: true };
  // anything but a plain yes is a no
  if (typeof answer !== 'object' || answer === null) return declined(question.tool, undefined);
  const isAllowed = answer.allow === true;
  const { remember, rule } = answer;
  const offer = rule === undefined ? offers[0] : offers.find(({ text }) => text === rule);
  if (offer !== undefined && (remember === 'session' || remember === 'project'))
    await keep({ ...offer, kind: isAllowed ? 'allow' : 'deny' }, remember);
  return isAllowed ? { allowed: true } : declined(question.tool, answer.allow === true ? undefined : answer.reason);
}

function declined(tool: string, reason: unknown): Decision {
  const words = typeof reason === 'string' ? cutEnd(reason.toWellFormed().trim(), MAX_REASON_CHARS) : '';
  return refuse(words === '' ? `The user declined to run ${tool}.` : `The user declined to run ${tool}: ${words}`);
}

function unattended(tool: string, verdict: { readonly reason: string; readonly allowRule: string }): string {
  return `${tool} was not run: ${verdict.reason}, and nobody can be asked. A rule that would allow it: ${verdict.allowRule}`;
}

function refuse(reason: string): Decision {
  return { allowed: false, reason };
}
