/** Judges reading or writing one path by rules. Outside the workspace no rule helps. */
import { escapeGlob } from '../workspace/glob-pattern.ts';
import { isInside, type Workspace } from '../workspace/workspace.ts';
import { writeOffers } from './offers.ts';
import { foldCase, type Rule, type RuleSet } from './rules.ts';
import { ALLOW, ask, deny, type Verdict } from './verdict.ts';

export interface PathAccess {
  readonly kind: 'read' | 'write';
  readonly path: string;
}

export interface PathGate {
  readonly workspace: Workspace;
  readonly rules: RuleSet;
  /** Folder names that no broad rule opens for writing. */
  readonly protectedNames: readonly string[];
  /** Where remembered rules are kept: no tool writes there. Absolute real path. */
  readonly rulesFolder?: string | undefined;
}

/** Rules under these names hold for every tool with that access. */
const GENERAL_TOOL: Readonly<Record<PathAccess['kind'], string>> = { read: 'read_file', write: 'write_file' };

export function judgePath(access: PathAccess, tool: string, gate: PathGate): Verdict {
  const { workspace, rules } = gate;
  const resolved = workspace.resolve(access.path, access.kind);
  if (!resolved.ok) return deny(resolved.reason);
  if (access.kind === 'write' && gate.rulesFolder !== undefined && isInside(gate.rulesFolder, resolved.path))
    return deny('remembered permissions are kept there, and only the user changes them');
  // a rule that forbids counts for the link as well as for what it points to
  const names = [resolved.relative, resolved.named];
  const restricting = (rule: Rule): boolean => concerns(rule, tool, access.kind) && names.some(rule.matchesPath);
  const denied = rules.deny.find(restricting);
  if (denied !== undefined) return deny(`the rule ${denied.text} forbids it`);
  const asked = rules.ask.find(restricting);
  if (asked !== undefined) return ask(`the rule ${asked.text} says to ask`, 'none while that rule stands');
  if (access.kind === 'read') return ALLOW;
  const allowRule = `${tool}(${escapeGlob(resolved.relative)})`;
  const name = protectedName(resolved.relative, gate.protectedNames);
  const allows = (rule: Rule): boolean =>
    concerns(rule, tool, access.kind) && rule.matchesPath(resolved.relative) && mayOpen(rule, name);
  if (rules.allow.some(allows)) return ALLOW;
  if (name !== undefined) return ask(`no rule names ${name}, which is protected`, allowRule);
  return ask('no rule allows it', allowRule, writeOffers(resolved.relative, tool));
}

/** Whether a deny or ask rule keeps the file at this real, workspace-relative path from being shown. */
export function isReadRestricted(relative: string, rules: RuleSet): boolean {
  return [...rules.deny, ...rules.ask].some(
    (rule) => concerns(rule, 'read_file', 'read') && rule.matchesPath(relative),
  );
}

function concerns(rule: Rule, tool: string, kind: PathAccess['kind']): boolean {
  return rule.tool === '*' || rule.tool === tool || rule.tool === GENERAL_TOOL[kind];
}

function protectedName(relative: string, names: readonly string[]): string | undefined {
  const segments = relative.split('/').map(foldCase);
  return names.find((name) => segments.includes(foldCase(name)));
}

/** What is protected takes a setting that names it. */
function mayOpen(rule: Rule, name: string | undefined): boolean {
  if (name === undefined) return true;
  return rule.isRemembered !== true && (rule.pattern ?? '').split('/').map(foldCase).includes(foldCase(name));
}
