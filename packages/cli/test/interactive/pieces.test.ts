import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { differenceOf } from '../../src/interactive/blocks/diff.ts';
import { outcomeOf, subjectOf } from '../../src/interactive/blocks/describe-call.ts';
import { describeEvent } from '../../src/output/describe-event.ts';
import { replyBlock } from '../../src/interactive/blocks/reply-block.ts';
import { cellsOf } from '../../src/interactive/commands/context.ts';
import { nearestName, parseCommand } from '../../src/interactive/commands/registry.ts';
import { anthropicProvider } from '@holdover/agent';
import { pastOf } from '../../src/interactive/session/past.ts';
import { mentionsIn } from '../../src/interactive/input/mentions.ts';
import { openHistory } from '../../src/interactive/input/prompt-history.ts';
import { inWords } from '../../src/interactive/run-note.ts';
import { keepScrollback } from '../../src/interactive/screen/scrollback-terminal.ts';
import { statusText } from '../../src/interactive/screen/status-line.ts';
import { ago, bytes, dollars, short } from '../../src/interactive/text/numbers.ts';
import { PLAIN } from '../../src/interactive/text/theme.ts';

const cells = (...tokens: readonly number[]): readonly number[] => cellsOf(tokens.map((one) => ({ tokens: one })));

describe('cells of the context picture', () => {
  it('are a hundred, one at least for whatever there is', () => {
    expect(cells(50, 50)).toEqual([50, 50]);
    expect(cells(1, 1, 199_998)).toEqual([1, 1, 98]);
    expect(cells(1, 1, 1)).toEqual([34, 33, 33]);
    expect(cells(0, 7)).toEqual([0, 100]);
    expect(cells(0, 0)).toEqual([0, 0]);
  });
});

describe('commands', () => {
  it('are words behind a slash; paths are messages', () => {
    expect(parseCommand('/compact the tests')).toMatchObject({ kind: 'command', args: 'the tests' });
    expect(parseCommand('/exit')).toMatchObject({ kind: 'command', command: { name: 'quit' } });
    expect(parseCommand('/undoo')).toEqual({ kind: 'unknown', name: 'undoo', nearest: 'undo' });
    expect([parseCommand('/etc/hosts'), parseCommand('hello'), parseCommand('/')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are found by the letters to change', () => {
    expect(['contxt', 'resum', 'pni', 'modle'].map(nearestName)).toEqual(['context', 'resume', 'pin', 'model']);
  });
});

describe('words for calls', () => {
  it('in logs hold no secret, not half of one either', () => {
    const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
    const input = { command: `curl https://example.com/a/long/path/to/deploy -H "token: ${key}"` };
    const line = describeEvent({ type: 'tool-start', id: 'id_1', name: 'bash', input });
    expect(line).toMatch(/^→ bash /);
    expect(line).not.toContain('ghp_');
  });

  it('say what a call is about and what came of it', () => {
    expect(subjectOf('read_file', { path: 'a.ts', offset: 10, limit: 5 })).toBe('a.ts:11-15');
    expect(subjectOf('grep', { pattern: 'x', path: 'src' })).toBe('x in src');
    expect(subjectOf('mine', { a: 1 })).toBe('{"a":1}');
    expect(outcomeOf('read_file', 'one\ntwo\n')).toBe('2 lines');
    expect(outcomeOf('bash', '(no output)')).toBe('no output');
  });

  it('say what a provider refused', () => {
    expect(inWords('529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}')).toBe(
      'Overloaded (status 529)',
    );
    expect(inWords('connect ECONNREFUSED')).toBe('the server cannot be reached');
  });
});

describe('a difference', () => {
  it('is what lies between equal lines', () => {
    expect(differenceOf('a\nb\nc', 'a\nx\ny\nc')).toEqual({
      before: ['a'],
      removed: ['b'],
      added: ['x', 'y'],
      after: ['c'],
    });
    expect(differenceOf('a\na', 'a\na\na')).toEqual({ before: ['a', 'a'], removed: [], added: ['a'], after: [] });
  });
});

describe('earlier messages', () => {
  it('a file that went along with a prompt is not shown, nor put back into the editor', () => {
    const provider = anthropicProvider({ apiKey: 'none' });
    const message = provider.userMessage([
      'Look at @a.ts.',
      '<file path="a.ts">\nconst a = 1;\n</file>',
      '<file-2 path="b.md">\n</file>\n</file-2>',
    ]);
    expect(pastOf(provider, [message]).map(({ text }) => text)).toEqual(['Look at @a.ts.']);
  });
});

describe('mentions', () => {
  it('begin a word; quotes hold spaces; the full stop is the sentence’s', () => {
    expect(mentionsIn('see @a.ts, @"b c.ts" and me@x.com. @d.ts.')).toEqual(['a.ts', 'b c.ts', 'd.ts']);
  });
});

describe('numbers', () => {
  it('are short', () => {
    expect([950, 4_230, 9_960, 168_400, 1_250_000].map(short)).toEqual(['950', '4.2k', '10k', '168k', '1.3M']);
    expect([900, 4_700, 2_000_000].map(bytes)).toEqual(['900 B', '4.6 KB', '1.9 MB']);
    expect([0.0123, 2].map(dollars)).toEqual(['$0.012', '$2.00']);
    expect([30_000, 3_700_000, 100_000_000].map((ms) => ago(0, ms))).toEqual(['just now', '1 h ago', '1 day ago']);
  });
});

describe('the status line', () => {
  const meter = {
    usedTokens: 50_000,
    windowTokens: 200_000,
    warnTokens: 147_000,
    actTokens: 167_000,
    leftTokens: 117_000,
  };
  const status = { model: 'm-1', sessionId: '20261130-161835-0a1b2c3d', meter, usd: 0.5 };

  it('gives up what is needed least, never the distance to the next compaction', () => {
    expect(statusText(status, 77, PLAIN)).toBe(
      '━━━━┄┄┄┄┄┄┄┄┄┄┄┄ 25%  compaction in 117k              $0.500 · m-1 · 0a1b2c3d',
    );
    expect(statusText(status, 50, PLAIN)).toBe('━━━┄┄┄┄┄┄┄ 25%  compaction in 117k    $0.500 · m-1');
    expect(statusText(status, 38, PLAIN)).toBe('━━┄┄┄┄ 25%  compaction in 117k  $0.500');
    expect(statusText(status, 30, PLAIN)).toBe('━━┄┄┄┄ 25%  compaction in 117k');
  });
});

describe('a full redraw', () => {
  it('draws the screen and leaves the scrollback alone', () => {
    const data = '\u001b[?2026h\u001b[2J\u001b[H\u001b[3Ja\r\nb\r\nc\u001b[?2026l';
    expect(keepScrollback(data, 2)).toBe('\u001b[?2026h\u001b[2J\u001b[Hb\r\nc\u001b[?2026l');
    expect(keepScrollback('plain', 2)).toBe('plain');
  });
});

describe('a reply', () => {
  it('is drawn in pieces as it would be whole', () => {
    const text = Array.from({ length: 60 }, (_, index) =>
      [
        `Paragraph ${index} with **weight**.`,
        `1. one\n2. two\n\n3. three`,
        '```ts\nconst a = 1;\n\nconst b = 2;\n```',
      ].join('\n\n'),
    ).join('\n\n');
    const whole = replyBlock(PLAIN);
    whole.setText(text.slice(0, 1));
    whole.setText(text);
    const grown = replyBlock(PLAIN);
    for (let end = 1; end <= text.length; end += 7) grown.setText(text.slice(0, end));
    grown.setText(text);
    const lines = grown.render(80);
    expect(lines.filter((line) => line.startsWith('Paragraph'))).toHaveLength(60);
    expect(lines).toEqual(whole.render(80));
  });
});

describe('prompts of earlier sessions', () => {
  it('are read back, without those that begin with a space', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdover-history-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'own', 'prompts.jsonl');
    const history = openHistory(path);
    for (const prompt of ['one\ntwo', ' secret', 'three']) history.add(prompt);
    expect(openHistory(path).prompts).toEqual(['one\ntwo', 'three']);
    expect(readFileSync(path, 'utf8')).toBe('"one\\ntwo"\n"three"\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
