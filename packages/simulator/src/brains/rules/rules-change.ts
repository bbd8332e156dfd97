/** Rules for changing files. */

import { argument, isQuoted, unescape, type Clause } from './clauses.ts';
import type { Rule } from './rule.ts';
import { callStep, ticked } from './steps.ts';
import { shellQuote } from './text.ts';
import type { Step } from './types.ts';

export const changeRules: readonly Rule[] = [
  {
    name: 'edit',
    example: 'In src/a.ts replace "old" with "new"',
    pattern: /^in\s+(?:the\s+file\s+)?(\S+?),?\s+replace\s+(\S+)\s+(?:with|by)\s+(\S+)$/i,
    build: ([, path = '', before = '', with_ = ''], clause) => editSteps({ clause, path, before, after: with_ }),
  },
  {
    name: 'edit-reversed',
    example: 'Replace "old" with "new" in src/a.ts',
    pattern: /^replace\s+(\S+)\s+(?:with|by)\s+(\S+)\s+in\s+(?:the\s+file\s+)?(\S+)$/i,
    build: ([, before = '', with_ = '', path = ''], clause) => editSteps({ clause, path, before, after: with_ }),
  },
  {
    name: 'write',
    example: 'Write notes.md with "# Notes"',
    pattern:
      /^(?:write|create)\s+(?:(?:a|the)\s+)?(?:new\s+)?(?:file\s+)?(\S+?),?\s+(?:with|containing)(?:\s+(?:the\s+)?(?:content|text))?:?\s+(.+)$/i,
    build: ([, path = '', content = ''], clause) => {
      const file = argument(clause, path);
      // "Create a summary with four parts" names no file.
      if (!isQuoted(path) && !/[./]/.test(file)) return undefined;
      const input = { path: file, content: unescape(argument(clause, content)) };
      return [callStep(`write ${ticked(file)}`, [{ name: 'write_file', input }], file)];
    },
  },
  {
    name: 'append',
    example: 'Append "one more line" to notes.md',
    pattern:
      /^(?:append|add)\s+(?:the\s+)?(?:line\s+|text\s+)?(\S+)\s+to\s+(?:the\s+)?(?:end\s+of\s+)?(?:file\s+)?(\S+)$/i,
    build: ([, line = '', path = ''], clause) => {
      const file = argument(clause, path);
      const command = appendCommand(unescape(argument(clause, line)), file);
      return [callStep(`append a line to ${ticked(file)}`, [{ name: 'bash', input: { command } }], file)];
    },
  },
];

/** Adds lines to the end of a file; nothing in the lines or the path is seen by the shell. */
export function appendCommand(lines: string | readonly string[], file: string): string {
  const words = [lines].flat().map(shellQuote).join(' ');
  return `printf '%s\\n' ${words} >> ${shellQuote(file)}`;
}

/** The same for a second attempt: the first may have got through although its answer is gone. */
export function appendOnceCommand(line: string, file: string): string {
  return `grep -qxF -e ${shellQuote(line)} -- ${shellQuote(file)} || ${appendCommand(line, file)}`;
}

interface Edit {
  readonly clause: Clause;
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

function editSteps({ clause, path, before, after }: Edit): readonly Step[] {
  const file = argument(clause, path);
  const input = {
    path: file,
    old_text: unescape(argument(clause, before)),
    new_text: unescape(argument(clause, after)),
  };
  return [callStep(`edit ${ticked(file)}`, [{ name: 'edit_file', input }], file)];
}
