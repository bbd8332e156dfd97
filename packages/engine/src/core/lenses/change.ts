/** What a call writes into a file, as far as its input says so, under the names tools give it. References to the input's own strings. */
import { member, textOf } from './table.ts';

/** One replacement. */
export interface Replacement {
  readonly before: string;
  readonly after: string;
}

const BEFORE = ['old_text', 'oldText', 'old_string', 'oldString', 'old_str', 'search'] as const;
const AFTER = ['new_text', 'newText', 'new_string', 'newString', 'new_str', 'replace'] as const;

/** The whole new text of a file, or undefined where the input holds none. */
export function writtenText(input: unknown): string | undefined {
  const text = textOf(input, 'content', 'file_text', 'contents', 'new_source');
  return text === '' ? undefined : text;
}

function replacementOf(input: unknown): readonly Replacement[] {
  const before = textOf(input, ...BEFORE);
  return before === '' ? [] : [{ before, after: textOf(input, ...AFTER) }];
}

/** The replacements an edit asks for, in order. */
export function replacementsOf(input: unknown): readonly Replacement[] {
  const edits = member(input, 'edits');
  return [...replacementOf(input), ...(Array.isArray(edits) ? edits.flatMap(replacementOf) : [])];
}
