/** Rules for commands and for finding things. */

import { argument, isQuoted, restore, type Clause } from './clauses.ts';
import { HERE, type Rule } from './rule.ts';
import { callStep, ticked } from './steps.ts';
import type { Step } from './types.ts';

export const searchRules: readonly Rule[] = [
  {
    name: 'run',
    example: 'Run `npm test`',
    pattern: /^(?:run|execute)\s+((?:the\s+)?(?:(?:shell|bash)\s+)?commands?:?\s+)?(.+)$/i,
    build: ([, named = '', rest = ''], clause) => {
      const command = commandIn(rest, named !== '', clause);
      if (command === undefined || command.trim() === '') return undefined;
      return [callStep(`run ${ticked(command)}`, [{ name: 'bash', input: { command } }])];
    },
  },
  {
    name: 'grep',
    example: 'Search for "pattern" in src/',
    pattern: /^(?:search|grep|look)\s+(?:for\s+)?(\S+)(?:\s+(?:in|under)\s+(?:the\s+)?(\S+))?(?:\s+.{0,60})?$/i,
    build: ([, pattern = '', path = ''], clause) => {
      const wanted = argument(clause, pattern);
      const where = argument(clause, path);
      if (wanted === '' || /^(?:at|for|the)$/i.test(wanted)) return undefined;
      const input = where === '' ? { pattern: wanted } : { pattern: wanted, path: where };
      const label = where === '' ? '' : ` in ${ticked(where)}`;
      return [callStep(`search for ${ticked(wanted)}${label}`, [{ name: 'grep', input }])];
    },
  },
  {
    name: 'glob',
    example: 'List files matching src/**/*.ts',
    pattern:
      /^(?:list|find|show)\s+(?:all\s+)?(?:the\s+)?files?\s+(?:that\s+match|matching|named)\s+(\S+)(?:\s+in\s+(\S+))?$/i,
    build: ([, pattern = '', dir = ''], clause) => [globStep(argument(clause, pattern), argument(clause, dir))],
  },
  {
    name: 'list-here',
    example: 'List the files',
    pattern: new RegExp(`^(?:list|find|show)\\s+(?:me\\s+)?(?:all\\s+)?(?:of\\s+)?(?:the\\s+)?files?${HERE}$`, 'i'),
    build: () => [globStep('*', '')],
  },
  {
    name: 'list-directory',
    example: 'List the files in docs/',
    pattern: /^(?:list|find|show)\s+(?:all\s+)?(?:the\s+)?files?\s+(?:in|under)\s+(\S+)$/i,
    build: ([, dir = ''], clause) => [globStep('*', argument(clause, dir))],
  },
  {
    name: 'find',
    example: 'Find *.md',
    pattern: /^(?:find|list)\s+(?:all\s+)?(?:the\s+)?(\S+)(?:\s+files?)?(?:\s+in\s+(\S+))?$/i,
    build: ([, pattern = '', dir = ''], clause) => {
      const wanted = argument(clause, pattern);
      return /[*?]/.test(wanted) ? [globStep(wanted, argument(clause, dir))] : undefined;
    },
  },
];

/** A quoted span is the command; bare words are one only where the sentence says so or they do not read as prose. */
function commandIn(rest: string, named: boolean, clause: Clause): string | undefined {
  const first = rest.split(/\s+/)[0] ?? '';
  if (isQuoted(first)) return argument(clause, first);
  if (!named && /^(?:the|a|an|all|some|my|your|it|this|that|these|those)\b/i.test(first)) return undefined;
  return restore(clause, rest);
}

function globStep(pattern: string, dir: string): Step {
  const base = dir.replace(/\/+$/, '');
  const full = base === '' || base === '.' ? pattern : `${base}/${pattern}`;
  return callStep(`list ${ticked(full)}`, [{ name: 'glob', input: { pattern: full } }]);
}
