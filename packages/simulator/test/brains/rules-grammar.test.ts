import { describe, expect, it } from 'vitest';
import { createRulesBrain } from '../../src/brains/rules.ts';
import { grammar, parseInstruction } from '../../src/brains/rules/grammar.ts';
import { callsOf, request, textOf, userText } from './rules-world.ts';

const brain = createRulesBrain();

async function first(instruction: string) {
  const reply = await brain.reply(request([userText(instruction)]));
  return callsOf(reply);
}

function labels(instruction: string): string[] {
  return parseInstruction(instruction).steps.map((step) => step.label);
}

const printf = (line: string, file: string) => ({
  name: 'bash',
  input: { command: `printf '%s\\n' '${line}' >> '${file}'` },
});

const CASES: readonly [string, { name: string; input: Record<string, unknown> }][] = [
  ['Read the file docs/a.md', { name: 'read_file', input: { path: 'docs/a.md' } }],
  ['please read `my file.txt`.', { name: 'read_file', input: { path: 'my file.txt' } }],
  ['Read the file Makefile', { name: 'read_file', input: { path: 'Makefile' } }],
  ['Read the first 20 lines of src/a.ts', { name: 'read_file', input: { path: 'src/a.ts', limit: 20 } }],
  ['Read every file in src/', { name: 'glob', input: { pattern: 'src/**/*' } }],
  ['Read all files in "src/my lib"', { name: 'glob', input: { pattern: 'src/my lib/**/*' } }],
  ['Read all of src and the lock file package-lock.json', { name: 'glob', input: { pattern: 'src/**/*' } }],
  ['Read all files in ./', { name: 'glob', input: { pattern: '**/*' } }],
  ['Read every *.md file in docs/', { name: 'glob', input: { pattern: 'docs/**/*.md' } }],
  ['Run `npm test -- --watch=false`', { name: 'bash', input: { command: 'npm test -- --watch=false' } }],
  ['Run the command ls -la', { name: 'bash', input: { command: 'ls -la' } }],
  ['Run the command `echo "a, then b"`', { name: 'bash', input: { command: 'echo "a, then b"' } }],
  ['Run the command git log -n "3"', { name: 'bash', input: { command: 'git log -n "3"' } }],
  ['Search for "TODO: x" in src/', { name: 'grep', input: { pattern: 'TODO: x', path: 'src/' } }],
  ['search for `foo`', { name: 'grep', input: { pattern: 'foo' } }],
  ['List files matching src/**/*.ts', { name: 'glob', input: { pattern: 'src/**/*.ts' } }],
  ['List the files in docs/', { name: 'glob', input: { pattern: 'docs/*' } }],
  ['Find *.md', { name: 'glob', input: { pattern: '*.md' } }],
  [
    'In src/a.ts replace "a and then b" with "c"',
    { name: 'edit_file', input: { path: 'src/a.ts', old_text: 'a and then b', new_text: 'c' } },
  ],
  ['In `a.ts`, replace `x` with `y`', { name: 'edit_file', input: { path: 'a.ts', old_text: 'x', new_text: 'y' } }],
  ['Replace "x" with "" in a.ts', { name: 'edit_file', input: { path: 'a.ts', old_text: 'x', new_text: '' } }],
  ['Write notes.md with "# Notes\\n"', { name: 'write_file', input: { path: 'notes.md', content: '# Notes\n' } }],
  ['Create a file notes.md containing "x"', { name: 'write_file', input: { path: 'notes.md', content: 'x' } }],
  [
    'Create a.ts containing:\n```ts\nconst a = "`";\n\nrun();\n```\nThen read b.ts',
    { name: 'write_file', input: { path: 'a.ts', content: 'const a = "`";\n\nrun();\n' } },
  ],
  ['Append "it is" to notes.md', printf('it is', 'notes.md')],
  ['Append "it\'s" to notes.md', printf("it'\\''s", 'notes.md')],
  ['Compact the conversation', { name: 'compact', input: {} }],
  ['Compact the conversation with a focus on tests', { name: 'compact', input: { focus: 'tests' } }],
];

describe('the grammar', () => {
  it.each(CASES)('turns %j into its call', async (instruction, call) => {
    expect((await first(instruction))[0]).toEqual(call);
  });

  it('has an example for every rule that the rule itself understands', () => {
    for (const rule of grammar) expect(parseInstruction(rule.example).steps.length, rule.name).toBeGreaterThan(0);
  });

  it('splits sentences, lists and connectors', () => {
    const expected = ['read `a.md`', 'read `b.md`', 'run `ls`'];
    expect(labels('Read the file a.md, then read b.md, and then run `ls`.')).toEqual(expected);
    expect(labels('Read a.md. Read b.md. Run `ls`')).toEqual(expected);
    expect(labels('Please do this:\n1. Read a.md\n2. Read b.md\n3. Run `ls`')).toEqual(expected);
    expect(labels('- read a.md\n- read b.md\n\n- run `ls`')).toEqual(expected);
    expect(labels('Do the following: 1. Read a.md 2. Read b.md 3. Run `ls`')).toEqual(expected);
    expect(labels('READ A.MD AND B.MD'.toLowerCase() + ' and run `ls`')).toEqual(expected);
    expect(labels('Read the file a.md, then b.md, then run `ls`')).toEqual(expected);
    expect(labels('read a.md\nread b.md\nrun `ls`')).toEqual(expected);
    expect(labels('Could you read the file\na.md and b.md,\nthen run `ls`?')).toEqual(expected);
  });

  it('plans with the steps of the instruction', async () => {
    const [call] = await first('Plan the work, then read a.md and run `ls`');
    expect(call).toEqual({
      name: 'todo_write',
      input: {
        todos: [
          { content: 'write the todo list', status: 'in_progress' },
          { content: 'read `a.md`', status: 'pending' },
          { content: 'run `ls`', status: 'pending' },
        ],
      },
    });
    expect((await first('Make a todo list for the release'))[0]?.input).toEqual({
      todos: [{ content: 'Make a todo list for the release', status: 'in_progress' }],
    });
  });

  it('does not take rules of conduct for orders', () => {
    expect(labels('Read a.md. You must never run `rm`. Do not write b.md with "x".')).toEqual(['read `a.md`']);
  });

  it.each(['hello', 'What is this project about?', 'Tell me a joke', 'Count the stars', 'Read carefully', '"', '```'])(
    'answers %j in words',
    async (text) => {
      const reply = await brain.reply(request([userText(text)]));
      expect(callsOf(reply)).toEqual([]);
      expect(textOf(reply)).toContain('rule-following stand-in');
    },
  );

  it('says so when a tool is missing, and goes on', async () => {
    const messages = [userText('Search for "x" in src, then read a.md')];
    const reply = await brain.reply(request(messages, ['read_file']));
    expect(textOf(reply)).toMatch(/step 1\/2 skipped: .*no tool named grep/);
    expect(callsOf(reply)).toEqual([{ name: 'read_file', input: { path: 'a.md' } }]);
  });

  it.each([
    ['quotes', '"'.repeat(200_000)],
    ['escaped quotes', '\\"'.repeat(200_000)],
    ['apostrophes', " '".repeat(200_000)],
    ['spaces', `Read${' '.repeat(400_000)}`],
    ['words', `add to a line about ${'x '.repeat(200_000)}`],
    ['list marks', '1. '.repeat(200_000)],
    ['verbs', 'read every all in '.repeat(60_000)],
    ['stars', `Find ${'*'.repeat(300_000)}`],
    ['one letter', 'a'.repeat(1_000_000)],
    ['ands', 'read a.md and delete it and look at b.md, '.repeat(30_000)],
    ['ands after no rule', `frob ${'and it '.repeat(150_000)}`],
    ['summar', 'create a summar '.repeat(60_000)],
    ['roles', '\nuser: '.repeat(100_000)],
    ['marks', 'Task ab12, step 1/2, '.repeat(40_000)],
  ])('stays quick on a megabyte of %s', async (_, text) => {
    const started = performance.now();
    await brain.reply(request([userText(text)]));
    await brain.reply(request([userText(text)], []));
    await brain.reply(request([userText(`[Compacted]\n\n${text}`, 'Read a.md')]));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
