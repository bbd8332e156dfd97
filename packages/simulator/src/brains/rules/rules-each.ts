/** The rule that looks at every file of a directory and notes one line about each. */

import { argument } from './clauses.ts';
import { factLine, factsIn } from './facts.ts';
import { recallText, type Content } from './gather.ts';
import { listFiles } from './read-all.ts';
import type { Rule } from './rule.ts';
import { appendCommand, appendOnceCommand } from './rules-change.ts';
import { ticked } from './steps.ts';
import { addressesIn, isStub } from './stubs.ts';
import { samePath, stringOf } from './text.ts';
import type { Move, Scene, Step } from './types.ts';
import { isFailure } from './view.ts';

const MAX_FILES = 20;
const USUAL_FACTS = 'its line count and first heading';

export const eachRules: readonly Rule[] = [
  {
    name: 'note-each',
    example: 'Write a line about each file in docs/ to NOTES.md',
    pattern:
      /^(?:write|add|append)\s+(?:a|one)\s+line\s+(?:about|on|for)\s+(?:each|every)\s+(?:of\s+the\s+)?files?\s+(?:in|of|under)\s+(?:the\s+)?(\S+)\s+(?:in)?to\s+(?:the\s+)?(?:file\s+)?(\S+?)(?:[:,]\s+(.+))?$/i,
    build: ([, dir = '', file = '', wanted = ''], clause) => {
      const facts = factsIn(wanted === '' ? USUAL_FACTS : wanted);
      if (facts.length === 0) return undefined;
      const base = argument(clause, dir).replace(/\/+$/, '');
      const pattern = base === '' || base === '.' ? '*' : `${base}/*`;
      return [noteStep({ pattern, file: argument(clause, file), facts })];
    },
  },
];

interface Notes {
  readonly pattern: string;
  readonly file: string;
  readonly facts: ReturnType<typeof factsIn>;
}

function noteStep(notes: Notes): Step {
  const label = `add a line about each file of ${ticked(notes.pattern)} to ${ticked(notes.file)}`;
  return { label, changes: notes.file, next: (scene) => next(scene, notes) };
}

function next(scene: Scene, { pattern, file, facts }: Notes): Move {
  const listed = listFiles(scene, pattern);
  if (listed.kind === 'ask')
    return { kind: 'call', calls: [listed.call], last: false, note: 'listing the files first' };
  const paths = listed.files.filter((path) => !samePath(path, file));
  if (paths.length === 0) return { kind: 'pass', note: 'no file was found, so there is nothing to write.' };
  const chosen = paths.slice(0, MAX_FILES).map((path) => ({ path, content: contentOf(scene, path) }));
  const calls = chosen.flatMap(({ content }) => (content.kind === 'ask' ? [content.call] : []));
  const over = paths.length > MAX_FILES ? `, the first ${MAX_FILES} of them` : '';
  if (calls.length > 0) return { kind: 'call', calls, last: false, note: `${paths.length} files to look at${over}` };
  const lines = chosen.map(({ path, content }) =>
    content.kind === 'text' ? factLine(path, content.text, facts) : `- ${path}: could not be read`,
  );
  const once = lines.map((line) => appendOnceCommand(line, file)).join('; ');
  const command = scene.attempt > 1 ? once : appendCommand(lines, file);
  return { kind: 'call', calls: [{ name: 'bash', input: { command } }], last: true };
}

/** The text as this step itself read it, or got it back from where the reading was put away. */
function contentOf({ view, since }: Scene, path: string): Content {
  const isRead = (name: string, read: unknown): boolean => name === 'read_file' && samePath(stringOf(read), path);
  const result = since.findLast((call) => isRead(call.name, call.input['path']))?.result;
  if (!result) return { kind: 'ask', call: { name: 'read_file', input: { path } }, why: `reading ${path}` };
  if (isFailure(result)) return { kind: 'none', why: `${path} could not be read` };
  if (!isStub(result)) return { kind: 'text', text: result.text === '(empty file)' ? '' : result.text };
  for (const address of addressesIn(result.text)) {
    const found = recallText(view, address);
    if (found.kind !== 'lost') return found;
  }
  return { kind: 'none', why: `the exact text of ${path} could not be had` };
}
