import type { SimReplyPart, SimRequest } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { echo, FORMATS, resultsIn, shownIn, stageFor } from '../support/stage.ts';

const SUMMARY = 'Goal: to test. Nothing else is known.';
const LOREM = 'lorem ipsum dolor sit amet '.repeat(80);
const compact = (input: Record<string, unknown> = {}): SimReplyPart => ({ kind: 'call', name: 'compact', input });
const recall = (input: Record<string, unknown>): SimReplyPart => ({ kind: 'call', name: 'recall', input });

/** The first address a request shows, whatever made its marker. */
function addressIn(request: SimRequest | undefined): string {
  const address = /recall: ([ch]_[\w.-]+)/.exec(shownIn(request))?.[1];
  if (address === undefined) throw new Error('no address in view');
  return address;
}

describe.each(FORMATS)('the compact tool over %s', (format) => {
  it('defect 1, an orphan result after compaction: the next request holds whole pairs or none', async () => {
    const { agent, brain, simulator } = await stageFor({
      format,
      steps: [
        echo(`early ${LOREM}`),
        compact(),
        SUMMARY,
        (request) => `I see ${resultsIn(request).length} results.`,
        'Still here.',
      ],
    });
    await expect(agent.run('Work, then compact.')).resolves.toMatchObject({ text: 'I see 0 results.' });
    await expect(agent.run('Go on.')).resolves.toMatchObject({ text: 'Still here.' });
    expect(simulator.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const shown = shownIn(brain.requests[3]);
    expect(shown).toContain(`[Compacted]\n\n${SUMMARY}`);
    expect(shown).toContain('Work, then compact.');
    expect(shown.indexOf('[Compacted]')).toBeLessThan(shown.indexOf('Work, then compact.'));
    brain.assertDone();
  });

  it('defect 2, calls dropped in mid-batch: the whole batch runs first, and its results reach summary and history', async () => {
    const { agent, brain, events } = await stageFor({
      format,
      steps: [
        [echo(`before ${LOREM}`), compact({ focus: 'the colour blue' }), echo(`after ${LOREM}`)],
        SUMMARY,
        'Done.',
      ],
    });
    await expect(agent.run('Go.')).resolves.toMatchObject({ text: 'Done.', rounds: 2 });
    const order = events.flatMap((event) => {
      if (event.type === 'tool-end') return [event.name];
      return event.type === 'context' && event.event.type === 'summary-start' ? [event.event.trigger] : [];
    });
    expect(order).toEqual(['echo', 'compact', 'echo', 'manual']);
    const asked = shownIn(brain.requests[1]);
    expect(asked).toContain('before lorem');
    expect(asked).toContain('after lorem');
    expect(asked).toContain('Above all keep what concerns: the colour blue');
    const history = JSON.stringify(agent.context.history());
    expect(history).toContain('before lorem');
    expect(history).toContain('after lorem');
    brain.assertDone();
  });

  it('does nothing where there is next to nothing to summarise', async () => {
    const { agent, brain } = await stageFor({ format, steps: [compact(), 'Fine.', 'Fine.'] });
    await agent.run('Compact.');
    await agent.run('Go on.');
    expect(shownIn(brain.requests[2])).not.toContain('[Compacted]');
    brain.assertDone();
  });
});

describe.each(FORMATS)('the recall tool over %s', (format) => {
  const early = `needle-${LOREM}`;

  it('gives back the exact original by an address copied from a marker', async () => {
    const { agent, brain } = await stageFor({
      format,
      steps: [
        echo(early),
        echo('b'),
        echo('c'),
        echo('d'),
        (request) => recall({ address: addressIn(request) }),
        'Done.',
      ],
    });
    await agent.run('Go.');
    expect(resultsIn(brain.requests[4])[0]?.text).toMatch(
      /^\[Earlier tool result compacted\. Re-run if needed\.\] recall: c_/,
    );
    expect(resultsIn(brain.requests[5]).at(-1)).toEqual({ text: early, isError: false });
  });

  it('finds by text what left the view, and its addresses work', async () => {
    const { agent, brain } = await stageFor({
      format,
      steps: [
        echo(early),
        compact(),
        SUMMARY,
        recall({ query: 'NEEDLE' }),
        (request) =>
          recall({
            address:
              /recall: (h_[\w.-]+) \(message 2, result of echo/.exec(resultsIn(request).at(-1)?.text ?? '')?.[1] ?? '',
          }),
        recall({ query: 'no such text anywhere' }),
        'Done.',
      ],
    });
    await agent.run('Go.');
    expect(resultsIn(brain.requests[5]).at(-1)?.text).toBe(early);
    expect(resultsIn(brain.requests[6]).at(-1)?.text).toBe(
      'Nothing outside the context contains "no such text anywhere".',
    );
    brain.assertDone();
  });

  it('gives a long original in pages that join to it, never half a character', async () => {
    const long = `start ${'🦊 fox '.repeat(700)}end`;
    const pages: string[] = [];
    let address = '';
    const next = (request: SimRequest): SimReplyPart | string => {
      address ||= addressIn(request);
      const last = resultsIn(request).at(-1)?.text ?? '';
      const match = /^([^]*)\n\(page (\d+) of .*, recall again with offset (\d+)\)$/.exec(last);
      if (last.includes('fox')) pages.push(match?.[1] ?? last);
      if (last.includes('fox') && match === null) return 'Done.';
      return recall({ address, offset: Number(match?.[3] ?? 0) });
    };
    const { agent } = await stageFor({
      format,
      steps: [echo(long), echo('b'), echo('c'), echo('d'), next, next, next, next, next, next],
      agent: { context: { windowTokens: 8_000, maxOutputTokens: 3_000 } },
    });
    await expect(agent.run('Go.')).resolves.toMatchObject({ text: 'Done.' });
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.join('')).toBe(long);
    expect(pages.every((page) => Buffer.from(page).toString() === page)).toBe(true);
  });

  it.each([
    '../../../etc/passwd',
    'c_0123456789abcdef',
    'c_0123456789abcdef/../../secret',
    'h_0-999999999_0000000000000000',
    'h_0.0_0000000000000000',
    '__proto__',
    'x'.repeat(5_000),
    'c_0123456789abcdef\0',
  ])('refuses an address it never issued: %j', async (address) => {
    const { agent, brain } = await stageFor({ format, steps: [echo(early), recall({ address }), 'Done.'] });
    await expect(agent.run('Go.')).resolves.toMatchObject({ text: 'Done.' });
    const text = resultsIn(brain.requests[2]).at(-1)?.text ?? '';
    expect(text).toContain('is not an address this session issued');
    expect(text.length).toBeLessThan(300);
  });

  it('takes an empty address beside a query for none, and says what is missing where both are', async () => {
    const { agent, brain } = await stageFor({
      format,
      steps: [recall({ address: '', query: 'gone' }), recall({ address: '', query: '' }), recall({}), 'Done.'],
    });
    await agent.run('Go.');
    const missing = 'recall: give an address or a query';
    expect(resultsIn(brain.requests[3]).map(({ text }) => text)).toEqual([
      'Nothing outside the context contains "gone".',
      missing,
      missing,
    ]);
  });

  it('says where the end is when asked to go on behind it', async () => {
    const { agent, brain } = await stageFor({
      format,
      steps: [
        echo(early),
        echo('b'),
        echo('c'),
        echo('d'),
        (request) => recall({ address: addressIn(request), offset: 99_999 }),
        'Done.',
      ],
    });
    await agent.run('Go.');
    expect(resultsIn(brain.requests[5]).at(-1)?.text).toBe(
      `recall: the original has ${early.length} characters, and nothing is behind offset 99999`,
    );
  });
});
