/** Judges a shell command by rules. Allowing is strict, forbidding generous: whatever is unclear is asked. */
import { commandOffers, isProjectRule, staysInProject } from './offers.ts';
import { splitShell, trimBlanks, unquoted, type ShellPart, type ShellParts } from './shell-parts.ts';
import { foldCase, isBroad, type Rule, type RuleSet } from './rules.ts';
import { ALLOW, ask, deny, type Verdict } from './verdict.ts';

/**
 * Asked about even under a rule that allows every command. A rule covers one of these only by spelling it out,
 * as `bash(rm dist/*)` does.
 */
const RISKS: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /\b(?:rm|del)\b/, what: 'it deletes files' },
  { pattern: />\s*\/etc\//, what: 'it writes below /etc' },
  { pattern: /\bchmod\s+(?:-\S+\s+){0,5}0?777\b/, what: 'it makes files writable for everyone' },
];

/** Words that may stand before the name of a command without changing what it is. */
const LEADING_WORDS = /^(?:(?:[A-Za-z_]\w*=\S*|if|then|else|elif|do|while|until|time|env|command|exec|nohup|!|\{) )+/;
/** A wildcard of a rule about a risky command does not stretch over these. */
const FAR_WORD = /^[/~$]|(?:^|\/)\.\.(?:\/|$)|[=:][/~]/;
/** A rule longer than this is no help in a message. */
const MAX_RULE_CHARS = 1000;

/** `tool` is the name rules use, such as `bash`. */
export function judgeCommand(command: string, tool: string, rules: RuleSet): Verdict {
  const text = trimBlanks(command);
  const split = splitShell(text);
  const allowRule = ruleFor(text, tool);
  const offers = commandOffers(text, tool, split);
  const denying = rules.deny.filter((rule) => concerns(rule, tool));
  const asking = rules.ask.filter((rule) => concerns(rule, tool));
  const denied = firstMatch(denying, split, text);
  if (denied !== undefined) return deny(`the rule ${denied.text} forbids it`);
  const asked = firstMatch(asking, split, text);
  if (asked !== undefined) return ask(`the rule ${asked.text} says to ask`, 'none while that rule stands');
  const allowing = rules.allow.filter((rule) => concerns(rule, tool));
  const spelledOut = allowing.filter((rule) => rule.pattern === text);
  if (spelledOut.some((rule) => rule.isRemembered !== true)) return ALLOW;
  const hidden = hiddenMatch([...denying, ...asking], split, text);
  if (hidden !== undefined) return ask(`it may do what the rule ${hidden.text} is about`, allowRule);
  if (spelledOut.some((rule) => rule.isExact)) return ALLOW;
  const risk = uncoveredRisk(text, split, allowing);
  if (risk !== undefined) return ask(risk, allowRule, offers.slice(0, 1));
  if (split.parts.every((part) => allowing.some((rule) => covers(rule, part, split.sure)))) return ALLOW;
  return ask(whyNotAllowed(split, allowing), allowRule, offers);
}

function concerns(rule: Rule, tool: string): boolean {
  return rule.tool === '*' || rule.tool === tool;
}

/** The first rule that matches the whole command or one of its parts, in any of their forms. */
function firstMatch(rules: readonly Rule[], split: ShellParts, text: string): Rule | undefined {
  const forms = [text, ...split.parts.flatMap(formsOf)];
  return rules.find((rule) => forms.some((form) => rule.matchesCommand(form)));
}

function formsOf(part: ShellPart): readonly string[] {
  const bare = part.plain.replace(LEADING_WORDS, '');
  const base = bare.replace(/^\S*\//, '');
  return [part.text, part.plain, bare, base];
}

/** A rule whose fixed beginning occurs somewhere, or any rule at all when the shell may do more than we see. */
function hiddenMatch(rules: readonly Rule[], split: ShellParts, text: string): Rule | undefined {
  if (!split.sure) return rules[0];
  const plain = foldCase(unquoted(text));
  return rules.find((rule) => {
    const fixed = foldCase((rule.pattern ?? '').split('*', 1)[0] ?? '').trim();
    return fixed !== '' && plain.includes(fixed);
  });
}

function uncoveredRisk(text: string, split: ShellParts, allowing: readonly Rule[]): string | undefined {
  for (const { pattern, what } of RISKS) {
    if (!pattern.test(text) && !pattern.test(unquoted(text))) continue;
    const risky = split.parts.filter((part) => pattern.test(part.plain));
    const spelledOut = (part: ShellPart): boolean =>
      allowing.some((rule) => spellsOut(rule, pattern) && covers(rule, part, split.sure) && staysNear(rule, part));
    if (risky.length === 0 || !risky.every(spelledOut)) return what;
  }
  return undefined;
}

function spellsOut(rule: Rule, risk: RegExp): boolean {
  return risk.test(rule.pattern ?? '');
}

function staysNear(rule: Rule, part: ShellPart): boolean {
  const named = new Set((rule.pattern ?? '').split(' '));
  return part.plain.split(' ').every((word) => named.has(word) || !FAR_WORD.test(word));
}

function covers(rule: Rule, part: ShellPart, sure: boolean): boolean {
  if (isBroad(rule)) return true;
  if (!sure || (part.writesFile && !rule.pattern?.includes('>'))) return false;
  if (isProjectRule(rule) && !staysInProject(part)) return false;
  return rule.matchesCommand(part.text);
}

function whyNotAllowed(split: ShellParts, allowing: readonly Rule[]): string {
  if (allowing.length > 0 && !split.sure) return 'it is too intricate to tell what it runs';
  const open = split.parts.find((part) => !allowing.some((rule) => covers(rule, part, split.sure)));
  if (open === undefined || split.parts.length === 1) return 'no rule allows it';
  return `no rule allows its part ${JSON.stringify(open.text)}`;
}

function ruleFor(command: string, tool: string): string {
  return command.length <= MAX_RULE_CHARS
    ? `${tool}(${command})`
    : `${tool}(…) with the whole command between the parentheses`;
}
