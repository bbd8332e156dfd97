/** The verdict of deny list and rules on one call. */
import type { Access } from '../tools/tool.ts';
import { judgeCommand } from './command-gate.ts';
import { deniedBy } from './deny-list.ts';
import { judgePath, type PathGate } from './path-gate.ts';
import { isBroad, type Rule, type RuleSet } from './rules.ts';
import { ALLOW, ask, deny, type Verdict } from './verdict.ts';

export interface Gates extends PathGate {
  readonly denyList: readonly string[];
}

const STRICTNESS: Readonly<Record<Verdict['kind'], number>> = { allow: 0, ask: 1, deny: 2 };

/** Of several accesses the strictest verdict counts. Where more than one has to be asked about, no single rule helps. */
export function judge(tool: string, accesses: readonly Access[], gates: Gates): Verdict {
  if (accesses.length === 0) return judgeUnknown(tool, gates.rules);
  const verdicts = accesses.map((access) => judgeAccess(access, tool, gates));
  const strictest = verdicts.reduce(
    (most, verdict) => (STRICTNESS[verdict.kind] > STRICTNESS[most.kind] ? verdict : most),
    ALLOW,
  );
  const asked = verdicts.filter(({ kind }) => kind === 'ask');
  return strictest.kind === 'ask' && asked.length > 1 ? { ...strictest, offers: [] } : strictest;
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
      return judgeUse(tool, gates.rules) ?? ALLOW;
  }
}

/** What rules about the tool as such forbid or ask. */
function judgeUse(tool: string, rules: RuleSet): Verdict | undefined {
  const concerns = (rule: Rule): boolean => isBroad(rule) && (rule.tool === '*' || rule.tool === tool);
  const denied = rules.deny.find(concerns);
  if (denied !== undefined) return deny(`the rule ${denied.text} forbids it`);
  const asked = rules.ask.find(concerns);
  return asked === undefined ? undefined : ask(`the rule ${asked.text} says to ask`, 'none while that rule stands');
}

/** A tool that does not say what it touches takes a rule that names it; `*` alone does not. */
function judgeUnknown(tool: string, rules: RuleSet): Verdict {
  const restricted = judgeUse(tool, rules);
  if (restricted !== undefined) return restricted;
  if (rules.allow.some((rule) => isBroad(rule) && rule.tool === tool)) return ALLOW;
  return ask('the tool does not say what it touches', tool, [{ text: tool, isExact: false }]);
}
