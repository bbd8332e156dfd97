/** The proof of a session's log: what the agent wrote holds, and what was done to it afterwards is found. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, failureLine, RESULTS_FOLDER, type VerifyReport, verifySession } from '@holdover/agent';
import { createSealer } from '@holdover/engine/proof';
import { type ScriptedStep, type SimRecord, scripted } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { ECHO, echo, FORMATS, type Format, openSimulator, providerFor, quickPorts } from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const LOREM = 'lorem ipsum dolor sit amet '.repeat(60);

const STORY: readonly ScriptedStep[] = [
  [echo(`a ${LOREM}`, 'id_1'), echo(`b ${LOREM}`, 'id_2')],
  echo(`c ${LOREM}`, 'id_3'),
  [echo(`d ${LOREM}`, 'id_4'), echo('🦊 ä', 'id_5')],
  'First done.',
  echo(`e ${LOREM}`, 'id_6'),
  'Second done.',
  echo(`f ${LOREM}`, 'id_7'),
  'Third done.',
  'Summary: two things are done.',
  echo(`g ${LOREM}`, 'id_8'),
  'Fourth done.',
  'Fifth done.',
];

interface Played {
  readonly folder: string;
  readonly path: string;
  readonly requests: readonly SimRecord[];
}

/** A session with results put away, an undo, a rewind, a pin, a summary and another process. */
async function play(format: Format): Promise<Played> {
  const folder = tempFolder();
  const simulator = await openSimulator(scripted(STORY));
  const options = {
    workspace: folder,
    provider: providerFor(format, simulator),
    model: 'sim-1',
    tools: [ECHO],
    ports: quickPorts(),
  };
  const first = await createAgent(options);
  await first.run('Do the first thing.');
  await first.run('Do the second thing.');
  await first.pin('Never touch the lock file.');
  await first.run('Do the third thing.');
  expect(await first.undo()).toBe(true);
  await first.compact();
  await first.close();
  const second = await createAgent({ ...options, session: { kind: 'resume', id: first.sessionId } });
  await second.run('Do the fourth thing.');
  await second.rewind(second.context.history().length - 1);
  await second.run('Do the fifth thing.');
  await second.close();
  return {
    folder,
    path: join(folder, '.holdover', 'sessions', `${first.sessionId}.jsonl`),
    requests: simulator.requests.filter(({ body }) => body['tools'] !== undefined),
  };
}

function linesOf({ failures }: VerifyReport): readonly string[] {
  return failures.map(failureLine);
}

const verified = ({ path, folder }: Played): Promise<VerifyReport> => verifySession({ path, root: folder });

/** The log with each line changed by `change`, in a copy of the folder. */
function tampered(played: Played, change: (line: string, index: number) => string): Played {
  const folder = tempFolder();
  cpSync(played.folder, folder, { recursive: true });
  const path = played.path.replace(played.folder, folder);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').map(change);
  writeFileSync(path, lines.map((line) => (line === '' ? '' : `${line}\n`)).join(''), { mode: 0o600 });
  return { ...played, folder, path };
}

describe.each(FORMATS)('a log of %s', (format) => {
  it('holds: no churn between epochs, every entry accounted for, every address redeemed', async () => {
    const played = await play(format);
    const report = await verified(played);
    expect(linesOf(report)).toEqual([]);
    expect(report.churnTokens).toBe(0);
    expect(report.turns).toBe(11);
    expect(report.sealedTurns).toBe(11);
    expect(report.epochs).toBeGreaterThanOrEqual(4);
    expect(report.rewrittenTokens).toBeGreaterThan(100);
    expect(report.entries.covered).toBeGreaterThan(5);
    expect(report.addresses).toBeGreaterThanOrEqual(4);
    expect(report.recoveredBytes).toBeGreaterThan(4 * LOREM.length);
  });

  it('carries seals of the very requests that were sent', async () => {
    const played = await play(format);
    const { codec } = providerFor(format, await openSimulator(scripted([])));
    const { seal } = createSealer(codec);
    const records = readFileSync(played.path, 'utf8').trimEnd().split('\n');
    const sealed = records.flatMap((line) => (JSON.parse(line) as { sent?: object }).sent ?? []);
    expect(sealed).toEqual(played.requests.map(({ body }) => seal(codec.messages(body))));
  });

  it('a changed byte of a message is found', async () => {
    const played = await play(format);
    const report = await verified(
      tampered(played, (line) => (line.includes('"message"') ? line.replace('Do the second', 'Do the zecond') : line)),
    );
    expect(linesOf(report)[0]).toMatch(
      /^turn \d, entry \d+: history and ledger do not make the request that was sent \((\d+) messages, \1 were sent\)/,
    );
  });

  it('a lost file of the archive is found, by its address', async () => {
    const played = tampered(await play(format), (line) => line);
    const archive = join(played.folder, RESULTS_FOLDER);
    const [lost] = readdirSync(archive).filter((name) =>
      readFileSync(join(archive, name), 'utf8').startsWith('a lorem'),
    );
    rmSync(join(archive, lost ?? ''));
    const address = lost?.replace('.txt', '');
    expect(linesOf(await verified(played))).toContainEqual(
      expect.stringMatching(new RegExp(`^turn \\d, entry \\d+, ${address}: nothing is found there`)),
    );
  });

  it('a changed byte in the archive is found, by its address', async () => {
    const played = tampered(await play(format), (line) => line);
    const archive = join(played.folder, RESULTS_FOLDER);
    const [name = ''] = readdirSync(archive).filter((file) =>
      readFileSync(join(archive, file), 'utf8').startsWith('b lorem'),
    );
    writeFileSync(join(archive, name), readFileSync(join(archive, name), 'utf8').replace('lorem', 'lorum'));
    expect(linesOf(await verified(played)).join('\n')).toContain(name.replace('.txt', ''));
  });

  it('an edited marker is found', async () => {
    const played = await play(format);
    const report = await verified(
      tampered(played, (line) =>
        line.includes('"type":"ledger"') ? line.replace('Re-run if needed.', 'Run it if needed.') : line,
      ),
    );
    expect(report.failures.length).toBeGreaterThan(0);
    expect(linesOf(report)[0]).toMatch(
      /^turn \d+, entry \d+: history and ledger do not make the request that was sent/,
    );
  });

  it('bytes that changed without an epoch are found, and counted', async () => {
    const played = await play(format);
    // The same edits, said to be of a kind that changes nothing sent before.
    const report = await verified(
      tampered(played, (line) =>
        line.includes('"type":"ledger"') ? line.replaceAll('"every-turn"', '"arrival"') : line,
      ),
    );
    expect(report.churnTokens).toBeGreaterThan(100);
    expect(linesOf(report)[0]).toMatch(
      /^turn \d, entry \d+: sent bytes changed without an epoch, \d+ tokens are written again$/,
    );
  });

  it('a missing record is found', async () => {
    const played = await play(format);
    const report = await verified(tampered(played, (line, index) => (index === 4 ? '' : line)));
    expect(linesOf(report)[0]).toBe('turn 0: line 5: the record it follows is not there');
  });

  it('a fork is proved from where it began', async () => {
    const played = await play(format);
    const simulator = await openSimulator(scripted([echo(`h ${LOREM}`, 'id_9'), 'Forked.']));
    const agent = await createAgent({
      workspace: played.folder,
      provider: providerFor(format, simulator),
      model: 'sim-1',
      tools: [ECHO],
      ports: quickPorts(),
      session: { kind: 'fork', length: 14 },
    });
    await agent.run('Do something else.');
    await agent.close();
    const path = join(played.folder, '.holdover', 'sessions', `${agent.sessionId}.jsonl`);
    const report = await verifySession({ path, root: played.folder });
    expect(linesOf(report)).toEqual([]);
    expect([report.turns, report.sealedTurns]).toEqual([2, 2]);
  });
});

describe('a log without seals', () => {
  it('of an older version is built up again all the same', async () => {
    const golden = join(import.meta.dirname, 'golden', 'session-v1.jsonl');
    const report = await verifySession({ path: golden, root: tempFolder() });
    expect(report.sealedTurns).toBe(0);
    expect(report.turns).toBeGreaterThan(3);
    expect(report.churnTokens).toBe(0);
  });

  it('that is not there is told', async () => {
    const root = tempFolder();
    await expect(verifySession({ path: join(root, 'none.jsonl'), root })).rejects.toMatchObject({
      code: 'session_not_found',
    });
  });
});
