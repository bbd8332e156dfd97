/** `recall`: gets back what left the context, by the address in its marker or by a text it contains. */
import { ContextError, type Recalled } from '@holdover/engine';
import * as v from 'valibot';
import { defineTool, integerFrom, objectSchema } from './define-tool.ts';
import { failure, success, type Tool } from './tool.ts';

export interface RecallPort {
  recall(address: string): Promise<Recalled>;
  search(query: string): Recalled;
}

const schema = v.object({
  address: v.optional(v.string('a string')),
  query: v.optional(v.string('a string')),
  offset: v.optional(integerFrom(0)),
});

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** One page of `text`, never half a surrogate pair at either end, with the way to the next. */
function page(text: string, offset: number, pageChars: number): string {
  if (offset === 0 && text.length <= pageChars) return text;
  if (offset >= text.length) return `(the original has ${text.length} characters; nothing is behind offset ${offset})`;
  const start = isLowSurrogate(text.charCodeAt(offset)) && offset > 0 ? offset - 1 : offset;
  let end = Math.min(text.length, start + pageChars);
  if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
  const rest = text.length - end;
  return text.slice(start, end) + (rest > 0 ? `\n(${rest} more characters: recall again with offset ${end})` : '');
}

function hitList(recalled: Extract<Recalled, { kind: 'hits' }>): string {
  if (recalled.hits.length === 0) return `Nothing outside the context contains ${JSON.stringify(recalled.query)}.`;
  const lines = recalled.hits.map(
    ({ address, entry, what, excerpt }) => `recall: ${address} (message ${entry}, ${what})\n  ${excerpt}`,
  );
  return [...lines, ...(recalled.omitted > 0 ? [`(${recalled.omitted} more hits)`] : [])].join('\n');
}

/** `pageChars`: characters of one answer. */
export function createRecallTool(port: RecallPort, pageChars: () => number): Tool {
  return defineTool({
    name: 'recall',
    description:
      'Get back anything that was taken out of this conversation: give the address a marker names to get the exact original, or a query to find addresses.',
    inputSchema: objectSchema(
      {
        address: { type: 'string', description: 'An address such as c_0123456789abcdef, copied from a marker.' },
        query: { type: 'string', description: 'Text to look for in what left the conversation.' },
        offset: { type: 'integer', description: 'Where to go on in a long original, in characters.' },
      },
      [],
    ),
    schema,
    access: () => [{ kind: 'none' }],
    async run({ address = '', query = '', offset = 0 }) {
      // Models fill in what they leave open with empty texts.
      if (address === '' && query === '') return failure('recall: give an address or a query');
      try {
        const recalled = address === '' ? port.search(query) : await port.recall(address);
        if (recalled.kind === 'hits') return success(hitList(recalled));
        const { length } = recalled.text;
        if (offset > 0 && offset >= length)
          return failure(`recall: the original has ${length} characters; offset ${offset} is behind its end`);
        return success(page(recalled.text, offset, pageChars()));
      } catch (error) {
        if (error instanceof ContextError) return failure(`recall: ${error.message}`);
        throw error;
      }
    },
  });
}
