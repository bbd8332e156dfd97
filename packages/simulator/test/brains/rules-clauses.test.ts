import { describe, expect, it } from 'vitest';
import type { SimMessage } from '../../src/brain.ts';
import { createRulesBrain } from '../../src/brains/rules.ts';
import { parseInstruction } from '../../src/brains/rules/grammar.ts';
import * as w from './rules-world.ts';

const brain = createRulesBrain();
const FILES = { 'README.md': '# Read me\n', 'a.md': 'a\n', 'b.md': 'b\n', 'docs/a.md': '# A\nx\n', 'docs/b.md': 'b\n' };

function labels(instruction: string): string[] {
  return parseInstruction(instruction).steps.map((step) => step.label);
}

const unknown = (clause: string) => `Not understood: "${clause}"`;

describe('what follows "and"', () => {
  it.each([
    ['Read README.md and delete it', ['read `README.md`', unknown('delete it')]],
    ['Read the file nope.txt and deploy to production', ['read `nope.txt`', unknown('deploy to production')]],
    ['Read README.md, delete it', ['read `README.md`', unknown('delete it')]],
    ['Read README.md & delete it', ['read `README.md`', unknown('delete it')]],
    ['Read README.md and delete b.md', ['read `README.md`', unknown('delete b.md')]],
    ['Read README.md, then delete b.md', ['read `README.md`', unknown('delete b.md')]],
    ['Read a.md, b.md and also delete them, then run `ls`', 3],
    ['Read README.md and summarize it', ['read `README.md`', 'answer "summarize it"']],
    ['Read every file in src/ and delete them', ['read every file of `src/**/*`', unknown('delete them')]],
    ['Run `ls` and delete it', ['run `ls`', unknown('delete it')]],
    ['Run ls and delete it', ['run `ls`', unknown('delete it')]],
    ['Search for "x" in docs and delete it', ['search for `x` in `docs`', unknown('delete it')]],
    ['List the files in docs/ and delete them', ['list `docs/*`', unknown('delete them')]],
    ['Write a.md with "x" and commit it', ['write `a.md`', unknown('commit it')]],
    ['Append "x" to a.md and commit it', ['append a line to `a.md`', unknown('commit it')]],
    ['Replace "x" with "y" in a.md and commit it', ['edit `a.md`', unknown('commit it')]],
    ['Compact the conversation and go home', ['compact the conversation', unknown('go home')]],
    ['Plan the work and go home', ['write the todo list', unknown('go home')]],
  ])('no longer vanishes from %j', (instruction, expected) => {
    if (typeof expected !== 'number') return expect(labels(instruction)).toEqual(expected);
    expect(labels(instruction)).toEqual(['read `a.md`', 'read `b.md`', unknown('delete them'), 'run `ls`']);
  });

  it.each([
    ['Read a.md and b.md', ['read `a.md`', 'read `b.md`']],
    [
      'Read a.md, b.md, and the lock file package-lock.json',
      ['read `a.md`', 'read `b.md`', 'read `package-lock.json`'],
    ],
    ['Read a.md, which is short, and b.md', ['read `a.md`', 'read `b.md`']],
    ['Read a.md and every file in src/', ['read `a.md`', 'read every file of `src/**/*`']],
    ['Write a.md with bread and butter', ['write `a.md`']],
    ['Write a.md with "x and delete it"', ['write `a.md`']],
    ['Plan how to build and test it', ['write the todo list']],
    ['Add to R.md a line about a.md: its line count and first heading', ['add a line about `a.md` to `R.md`']],
    ['Compact the conversation with a focus on a and b', ['compact the conversation']],
    ['Read a.md and do not change it. Thank you!', ['read `a.md`']],
  ])('stays where it belongs in %j', (instruction, expected) => {
    expect(labels(instruction)).toEqual(expected);
  });
});

describe('a clause that is not understood', () => {
  it('is said and no longer counts as done', async () => {
    const played = await w.play(brain, new w.World(FILES), 'Read README.md and delete it');
    expect(played.calls).toEqual([{ name: 'read_file', input: { path: 'README.md' } }]);
    expect(played.final).toMatch(/^Task [0-9a-f]{4} done: 1 of 2 steps; not done: "delete it"\.\n/);
    expect(played.final).toContain('2. Not understood: "delete it": not done');
    const many = await w.play(brain, new w.World(FILES), 'Read a.md. Do A. Do B. Do C. Do D. Do E.');
    expect(many.final).toMatch(/done: 1 of 6 steps; not done: "Do A", "Do B", "Do C" and 2 more\.\n/);
  });

  const summarised = (messages: readonly SimMessage[]): string => {
    const reply = brain.reply(w.request([...messages, w.userText('Summarise the conversation so far.')], []));
    return reply instanceof Promise ? '' : w.textOf(reply);
  };
  const WAYS: readonly [string, w.Compaction][] = [
    ['no compaction', (messages) => messages],
    ['a summary at every call', w.summaryAt(3, w.lastSaid)],
    ["the brain's own summary at every call", w.summaryAt(3, summarised)],
    ['a summary without a word on progress', w.summaryAt(5, () => 'Some work was done.')],
    ['the middle dropped', w.dropMiddle(3)],
  ];

  it.each(WAYS)('is not tried again with %s', async (_, compaction) => {
    const world = new w.World(FILES);
    const user = 'Frobnicate it. Read a.md and delete it, then append "x" to b.md and push it. Explain b.md.';
    const played = await w.play(brain, world, { user, compaction, maxCalls: 20 });
    expect(played.calls.filter((call) => call.name !== 'recall').map((call) => call.name)).toEqual([
      'read_file',
      'bash',
    ]);
    expect(played.final).toMatch(/done: 2 of 6 steps; not done: "Frobnicate it", "delete it", "push it" and 1 more\./);
  });

  it('is not put on the todo list', async () => {
    const played = await w.play(brain, new w.World(FILES), 'Plan the work, then read a.md and delete it');
    expect(JSON.stringify(played.calls[0]?.input)).not.toContain('delete');
  });

  it('does not make a task of small talk', async () => {
    const reply = await brain.reply(w.request([w.userText('Delete it and go home')]));
    expect(w.textOf(reply)).toContain('stand-in');
  });
});

describe('what only a real model can answer', () => {
  it('no longer counts as done', async () => {
    const played = await w.play(brain, new w.World(FILES), 'Read README.md. Summarize it in French.');
    expect(played.final).toMatch(/done: 1 of 2 steps; not done: "Summarize it in French"\.\n/);
    expect(played.final).toContain('2. answer "Summarize it in French": not done');
  });

  it('is not the report that every task ends with', async () => {
    const played = await w.play(brain, new w.World(FILES), 'Read README.md, then report when you are done');
    expect(played.final).toMatch(/done: 2 of 2 steps\./);
  });
});

describe('a compaction that was asked for', () => {
  it('is no longer called "done earlier or without a call" once a summary took its place', async () => {
    const compaction: w.Compaction = (messages, archive) => {
      const calls = messages.at(-2)?.parts.some((part) => part.kind === 'call' && part.name === 'compact');
      return calls ? w.summaryAt(1, w.lastSaid)(messages, archive) : messages;
    };
    const played = await w.play(brain, new w.World(FILES), { user: 'Compact the conversation', compaction });
    expect(played.messages[0]?.parts).toHaveLength(2);
    expect(played.final).toContain('1. compact the conversation: done');
    expect(played.final).not.toContain('earlier');
  });
});

describe('the current folder', () => {
  it.each([
    ['List the files', '*'],
    ['List the files in .', '*'],
    ['List the files in . and read a.md', '*'],
    ['List files in this folder.', '*'],
    ['List all the files here', '*'],
    ['List the files in ..', '../*'],
    ['Read every file', '**/*'],
    ['Read all files.', '**/*'],
    ['Read all the files in .', '**/*'],
    ['Read every file in the current directory', '**/*'],
    ['Read every file and delete it', '**/*'],
  ])('is understood in %j', async (instruction, pattern) => {
    const reply = await brain.reply(w.request([w.userText(instruction)]));
    expect(w.callsOf(reply)).toEqual([{ name: 'glob', input: { pattern } }]);
  });

  it('leaves the stop at the end of a sentence alone', () => {
    expect(labels('Read a.md . Then read b.md.')).toEqual(['read `a.md`', 'read `b.md`']);
    expect(labels('Read every file in docs. Read a.md.')).toEqual(['read every file of `docs/**/*`', 'read `a.md`']);
  });
});

describe('a line about each file', () => {
  const TASK = 'Write a line about each file in docs/ to NOTES.md';
  const NOTES = '- docs/a.md: 2 lines; first heading: # A\n- docs/b.md: 1 line; first heading: none\n';

  it.each<[string, w.Compaction]>([
    ['nothing compacted', (messages) => messages],
    ['results put away', w.persistOver(3)],
    ['a summary in between', w.summaryAt(7, w.lastSaid)],
  ])('is written, with %s', async (_, compaction) => {
    const world = new w.World(FILES);
    await w.play(brain, world, { user: TASK, compaction });
    expect(world.files.get('NOTES.md')).toBe(NOTES);
  });

  it('is written of twenty files at most, and says so', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`docs/f${100 + at}.md`, `${at}\n`]));
    const world = new w.World(files);
    const played = await w.play(brain, world, `${TASK}: its line count`);
    expect(world.files.get('NOTES.md')?.split('\n')).toHaveLength(21);
    expect(played.replies.map(w.textOf).join()).toContain('30 files to look at, the first 20 of them');
  });
});
