import { expect, it } from 'vitest';
import { candidatesOf } from '../../src/dependencies/find.ts';

function found(input: object): readonly string[] | undefined {
  const reply = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'any', input }] } as const;
  return candidatesOf(reply)?.map(({ kind, text, query }) => `${kind} ${text} ? ${query}`);
}

it('takes lines of the old text from 16 characters on, to be looked for by the name of the file', () => {
  expect(
    found({
      path: 'src/app.ts',
      oldText: 'fifteen letters\nsixteen  letters\n                    \r\nsixteen  letters',
      newText: '',
    }),
  ).toEqual(['edit-line sixteen  letters ? app.ts', 'identifier src/app.ts ? app.ts']);
});

it('takes every edit of several', () => {
  expect(
    found({ file_path: 'a.ts', edits: [{ old_string: 'the first old line' }, { old_string: 'the second old line' }] }),
  ).toEqual(['edit-line the first old line ? a.ts', 'edit-line the second old line ? a.ts']);
});

it('takes paths and names that are nobody’s words, in whatever argument', () => {
  expect(
    found({ command: 'grep -rn readFile ./lib/x.ts | head -20 && FooBar snake_case v2beta1 plain camel $item' }),
  ).toEqual([
    'identifier ./lib/x.ts ? x.ts',
    'identifier readFile ? readFile',
    'identifier FooBar ? FooBar',
    'identifier snake_case ? snake_case',
    'identifier v2beta1 ? v2beta1',
  ]);
});

it('says nothing of a reply without calls', () => {
  expect(candidatesOf({ role: 'assistant', content: [{ type: 'text', text: 'readFile' }] })).toBeUndefined();
});
