/** What a repeated read returns in place of a text that is in view already. */
import type { LineSpan } from './file-state.ts';

const START = '(Unchanged: ';
const END = 'They are not repeated here.)';

export function unchangedStub(path: string, { startLine, lines, totalLines }: LineSpan): string {
  const span = `lines ${startLine + 1} to ${startLine + lines} of ${totalLines}`;
  return `${START}${path} is on disk as you read it before, and the result of that read_file call, with ${span}, is still above. ${END}`;
}

export function isUnchangedStub(text: string): boolean {
  return text.startsWith(START) && text.endsWith(END);
}
