/** A real session's log, cut anywhere: everything before the cut is there, and the session goes on. */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { type Agent, type AgentOptions, createAgent } from '@holdover/agent';
import { scripted, type Simulator } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { moveRecords } from '../../src/session/moves.ts';
import { openSession } from '../../src/session/open-session.ts';
import { loadSession } from '../../src/session/read-log.ts';
import { sessionPath } from '../../src/session/sessions.ts';
import { ECHO, echo, FORMATS, type Format, openSimulator, providerFor, quickPorts } from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const WORDS = 'ä 🦊 漢字 "quoted" \\ \u2028 '.repeat(4);

interface Place {
  readonly format: Format;
  readonly folder: string;
  readonly simulator: Simulator;
}

function open({ format, folder, simulator }: Place, session: AgentOptions['session']): Promise<Agent> {
  return createAgent({
    workspace: folder,
    provider: providerFor(format, simulator),
    model: 'sim-1',
    tools: [ECHO],
    ...(session === undefined ? {} : { session }),
    ports: quickPorts(),
  });
}

/** A log with calls, results, old results taken out, a compaction and a rewind; its session's id. */
async function tell(format: Format, folder: string): Promise<string> {
  const simulator = await openSimulator(
    scripted([
      [echo(`a ${WORDS}`, 'id_1'), echo(`b ${WORDS}`, 'id_2'), echo(`c ${WORDS}`, 'id_3')],
      echo(`d ${WORDS}`, 'id_4'),
      'First 🦊 done.',
      { kind: 'call', name: 'compact', input: {}, id: 'id_5' },
      'Goal: 漢字.',
      'Second done.',
    ]),
  );
  const at = { format, folder, simulator };
  const agent = await open(at, undefined);
  await agent.run(`Do the first thing. ${WORDS}`);
  await agent.run('Do the second thing.');
  agent.context.rewind(2);
  await agent.close();
  const provider = providerFor(format, simulator);
  const session = await openSession(
    { kind: 'resume', id: agent.sessionId },
    { root: folder, provider, model: 'sim-1', ports: { now: () => 0, random: () => 0 } },
  );
  await session.log.append(moveRecords(agent.context, { loggedSeq: session.loggedSeq, rewoundTo: 2 }).records);
  await session.log.close();
  return agent.sessionId;
}

interface Counted {
  messages: number;
  groups: number;
  states: number;
}

/** What each number of whole lines holds, counted without the loader. */
function countsOf(lines: readonly string[]): readonly Counted[] {
  const counted: Counted = { messages: 0, groups: 0, states: 0 };
  return lines.map((line) => {
    const record = JSON.parse(line) as { type: string; groups?: readonly unknown[]; length?: number };
    if (record.type === 'message') counted.messages += 1;
    if (record.type === 'rewind') counted.messages = record.length ?? 0;
    if (record.type === 'state') counted.states += 1;
    counted.groups += record.groups?.length ?? 0;
    return { ...counted };
  });
}

describe.each(FORMATS)('a log of %s', (format) => {
  it('cut at any byte opens with everything before the cut', async () => {
    const folder = tempFolder();
    const path = sessionPath(folder, await tell(format, folder));
    const bytes = readFileSync(path);
    const counts = countsOf(bytes.toString('utf8').trimEnd().split('\n'));
    expect(counts.at(-1)).toMatchObject({ messages: 2 });
    expect(counts.at(-1)?.groups).toBeGreaterThanOrEqual(2);
    for (let cut = bytes.length; cut >= 0; cut -= 1) {
      truncateSync(path, cut);
      const whole = bytes.subarray(0, cut).filter((byte) => byte === 0x0a).length;
      const expected = counts[whole - 1];
      if (expected === undefined) {
        await expect(loadSession(path)).rejects.toMatchObject({ code: 'session_unreadable' });
        continue;
      }
      const { messages, groups, state, damage } = await loadSession(path);
      const found = [messages.length, groups.length, state !== undefined, damage.length];
      // One comparison a byte: an assertion of its own would take longer than the load.
      if (found.join() !== [expected.messages, expected.groups, expected.states > 0, 0].join())
        expect(found, `cut at ${cut}`).toEqual([expected.messages, expected.groups, expected.states > 0, 0]);
    }
  });

  it('cut behind any record goes on with a request the provider takes', async () => {
    const folder = tempFolder();
    const id = await tell(format, folder);
    const path = sessionPath(folder, id);
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    for (let kept = 1; kept <= lines.length; kept += 1) {
      const torn = (lines[kept] ?? '').slice(0, 40);
      writeFileSync(path, `${lines.slice(0, kept).join('\n')}\n${torn}`);
      const simulator = await openSimulator(scripted(['Going on.']));
      const agent = await open({ format, folder, simulator }, { kind: 'resume', id });
      await expect(agent.run('Go on.'), `${kept} records`).resolves.toMatchObject({ text: 'Going on.' });
      await agent.close();
      const { damage, messages } = await loadSession(path);
      expect(damage).toEqual([]);
      expect(messages).toEqual(agent.context.history());
    }
  });
});
