/** The rule that needs a file's exact text: a line of facts about it goes into a report. */

import { argument } from './clauses.ts';
import { factLine, factsIn } from './facts.ts';
import { findContent } from './gather.ts';
import type { Rule } from './rule.ts';
import { appendCommand, appendOnceCommand } from './rules-change.ts';
import { ticked } from './steps.ts';
import type { Move, Scene, Step } from './types.ts';

export const reportRules: readonly Rule[] = [
  {
    name: 'add-facts',
    example: 'Add to REPORT.md a line about src/a.ts: its line count and first export',
    pattern:
      /^(?:add|append)\s+to\s+(?:the\s+)?(?:file\s+)?(\S+),?\s+(?:a|one)\s+line\s+(?:about|on|for)\s+(?:the\s+)?(?:file\s+)?(\S+)\s+(.+)$/i,
    build: ([, report = '', target = '', wanted = ''], clause) => {
      const facts = factsIn(wanted);
      if (facts.length === 0) return undefined;
      return [reportStep({ file: argument(clause, report), target: argument(clause, target), facts })];
    },
  },
];

interface Report {
  readonly file: string;
  readonly target: string;
  readonly facts: ReturnType<typeof factsIn>;
}

function reportStep({ file, target, facts }: Report): Step {
  const next = (scene: Scene): Move => {
    const content = findContent(scene, target);
    if (content.kind === 'none') return { kind: 'skip', note: content.why };
    if (content.kind === 'ask') return { kind: 'call', calls: [content.call], last: false, note: content.why };
    const line = factLine(target, content.text, facts);
    const command = scene.attempt > 1 ? appendOnceCommand(line, file) : appendCommand(line, file);
    return { kind: 'call', calls: [{ name: 'bash', input: { command } }], last: true };
  };
  return { label: `add a line about ${ticked(target)} to ${ticked(file)}`, changes: file, next };
}
