/** All rules in force: the settings', and what the user had remembered for the project and the session. */
import { AgentError } from '../errors.ts';
import type { RuleScope, RuleStore } from './rule-store.ts';
import {
  parseRemembered,
  parseRules,
  type PermissionRules,
  type RememberedRule,
  type Rule,
  type RuleKind,
  type RuleSet,
} from './rules.ts';

export interface KnownRule {
  readonly text: string;
  readonly kind: RuleKind;
  readonly source: 'setting' | RuleScope;
}

export interface RuleBook {
  ruleSet(): RuleSet;
  rules(): readonly KnownRule[];
  add(rule: RememberedRule, scope: RuleScope): Promise<void>;
  remove(text: string): Promise<boolean>;
}

interface BookOptions {
  readonly settings: PermissionRules;
  readonly store: RuleStore | undefined;
  readonly onProblem: (message: string) => void;
}

const SCOPES = ['project', 'session'] as const;
const KINDS = ['allow', 'deny', 'ask'] as const;

/** Rules of the session alone, for agents without a store. */
function inMemory(): Omit<RuleStore, 'folder'> {
  let kept: readonly RememberedRule[] = [];
  return {
    rules: (scope) => (scope === 'session' ? kept : []),
    add(rule, scope) {
      if (scope === 'project')
        return Promise.reject(new AgentError('rules_not_kept', 'there is no folder to remember rules of a project in'));
      kept = [...kept.filter(({ kind, text }) => kind !== rule.kind || text !== rule.text), rule];
      return Promise.resolve();
    },
    remove(text) {
      const left = kept.filter((rule) => rule.text !== text);
      const isFound = left.length < kept.length;
      kept = left;
      return Promise.resolve(isFound);
    },
  };
}

/** @throws AgentError `invalid_rule` for a rule of the settings; kept rules that cannot be read are told and skipped. */
export function createRuleBook({ settings, store = { folder: '', ...inMemory() }, onProblem }: BookOptions): RuleBook {
  const fixed = parseRules(settings);
  const parse = (rule: RememberedRule): readonly { readonly kind: RuleKind; readonly rule: Rule }[] => {
    try {
      return [{ kind: rule.kind, rule: parseRemembered(rule) }];
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
      return [];
    }
  };
  const compiled = (): RuleSet => {
    const kept = SCOPES.flatMap((scope) => store.rules(scope).flatMap(parse));
    const of = (kind: RuleKind): readonly Rule[] => [
      ...fixed[kind],
      ...kept.flatMap((item) => (item.kind === kind ? [item.rule] : [])),
    ];
    return { allow: of('allow'), deny: of('deny'), ask: of('ask') };
  };
  let current = compiled();
  return {
    ruleSet: () => current,
    rules: () => [
      ...KINDS.flatMap((kind) => (settings[kind] ?? []).map((text) => ({ text, kind, source: 'setting' as const }))),
      ...SCOPES.flatMap((source) => store.rules(source).map(({ text, kind }) => ({ text, kind, source }))),
    ],
    async add(rule, scope) {
      await store.add(rule, scope);
      current = compiled();
    },
    async remove(text) {
      const isFound = await store.remove(text);
      current = compiled();
      return isFound;
    },
  };
}
