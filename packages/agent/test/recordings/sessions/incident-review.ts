/** What happened on a Sunday, told from logs, settings and code, with every time and id in a timeline. */
import { DOMAINS, hex, iso, sentences, uuid } from '../words.ts';
import { minutes, sample, seconds, tweakSomehow } from '../habits.ts';
import { type Incident, makeIncident, serviceLog } from '../programs/logs.ts';
import type { SessionPlan } from '../record.ts';
import { page, plantTree } from '../setup.ts';
import type { Random } from '../../soak/random.ts';

const TARGET_TOKENS = 155_000;
const domain = DOMAINS.bank;
const SERVICES = ['posting', 'clearing', 'limits', 'gateway'];
const START_MS = Date.parse('2026-10-04T03:00:00Z');
const TIMELINE = 'review/timeline.md';

function settings(random: Random, service: string): string {
  return `# ${sentences(random, domain, 1)}\nservice: ${service}\n${domain.nouns.map((noun) => `${noun}:\n  ${random.pick(['timeout_ms', 'max_open', 'retry_after_ms', 'batch_size'])}: ${random.int(10, 9_000)}\n  owner: ${random.pick(['core', 'edge', 'night'])}-team\n  key: ${hex(random, 16)}`).join('\n')}\n`;
}

function queryResult(random: Random, incident: Incident): string {
  const rows = Array.from(
    { length: random.int(10, 45) },
    () =>
      `${uuid(random)} | ${iso(incident.atMs + random.int(-60_000, 60_000))} | ${random.pick(domain.nouns)} | ${random.pick(['open', 'posted', 'reversed', 'stuck'])} | ${random.int(1, 900_000)}.${random.int(10, 99)}`,
  );
  return ['id | at | kind | state | amount', '--- | --- | --- | --- | ---', ...rows, `(${rows.length} rows)`].join(
    '\n',
  );
}

export const incidentReview: SessionPlan = {
  name: 'incident-review',
  about: 'the review of an incident from logs, settings and code',
  use: 'held-out',
  startsAt: '2026-10-05T06:50:00Z',
  style: { talk: 0.75, context: 2, reader: 'tool' },
  build(world, random) {
    const incidents = Array.from({ length: 60 }, () =>
      makeIncident(random, domain, { service: random.pick(SERVICES), atMs: START_MS + random.int(30_000, 1_200_000) }),
    );
    const { project, modules } = plantTree(world, random, {
      language: 'java',
      domain,
      folders: ['src/main/java/app/core', 'src/main/java/app/night'],
      modules: 14,
      functions: [2, 4],
      statements: 9,
    });
    for (const service of SERVICES) {
      world.write(
        `logs/${service}.log`,
        serviceLog({
          random,
          domain,
          service,
          startMs: START_MS,
          lines: 900,
          incidents: incidents.filter((one) => one.service === service),
        }),
      );
      world.write(`settings/${service}.yaml`, settings(random, service));
    }
    world.write('review/template.md', page(random, domain, 'How we review incidents', 5));
    return {
      programs: [
        {
          command: /^psql -c "select \* from entries where trace = '(\S+)'"$/,
          run([, trace]) {
            const incident = incidents.find((one) => one.trace === trace);
            return { out: incident === undefined ? '(0 rows)' : queryResult(random, incident), ms: 2_100 };
          },
        },
      ],
      *script(coder) {
        yield* coder.user(
          `We need the review of Sunday's outage by noon. Between 03:00 and 03:20 UTC transfers were posted twice. I want a timeline in ${TIMELINE} with UTC times to the second, the trace of each event and what we did about it. Always write times in UTC. Never name a person. ${sentences(random, domain, 3)}`,
          0,
        );
        yield* coder.read(['review/template.md']);
        yield* coder.bash('grep -rn "ERROR" logs | head -40', 'What failed?');
        yield* coder.write(
          TIMELINE,
          '# Timeline\n\n| UTC | service | trace | what | what we did |\n| --- | --- | --- | --- | --- |\n',
        );
        const done: Incident[] = [];
        for (const incident of [...incidents].sort((one, other) => one.atMs - other.atMs)) {
          if (coder.tokens > TARGET_TOKENS) break;
          const { service, trace, code, error, atMs } = incident;
          yield* coder.bash(`grep -rn "${trace}" logs`, `I follow ${trace}.`);
          yield* coder.bash(`psql -c "select * from entries where trace = '${trace}'"`);
          if (random.chance(0.5)) {
            const at = world.lines(`logs/${service}.log`).findIndex((line) => line.includes(code));
            yield* coder.bash(`sed -n '${Math.max(1, at - 40)},${at + 20}p' logs/${service}.log`);
          }
          const path = `settings/${service}.yaml`;
          if (random.chance(0.6)) {
            yield* coder.read([path]);
            const places = coder.seenLines(path).filter((index) => /: \d+$/.test(world.lines(path)[index] ?? ''));
            if (places.length > 0)
              yield* coder.editLine(
                path,
                random.pick(places),
                (line) => line.replace(/\d+$/, String(random.int(100, 9_000))),
                'That setting let it happen.',
              );
          }
          if (random.chance(0.35)) {
            const module = random.pick(modules);
            yield* coder.read([module.path]);
            yield* tweakSomehow(coder, project, module.path, 'And the code needs a guard.');
          }
          const last = world.lines(TIMELINE).length - 2;
          const row = `| ${iso(atMs).slice(0, 19)} | ${service} | ${trace} | ${error} (${code}) | ${random.pick(['limit raised', 'retried by hand', 'left as it was', 'key renewed'])} |`;
          yield* coder.edit(TIMELINE, [last, last + 1], [world.lines(TIMELINE)[last] ?? '', row], 'Into the timeline.');
          done.push(incident);
          if (done.length % 4 !== 0) continue;
          const [old = incident] = sample(random, done, 1);
          yield* coder.say(`${done.length} events stand in the timeline. ${code} came from ${service}: ${error}.`);
          yield* coder.user(
            random.pick([
              `Before you go on: what did we do about ${old.code}, and when exactly was it?`,
              `${sentences(random, domain, 2)} Continue, please.`,
              `The auditors ask for ${old.trace}; is it in the timeline?`,
            ]),
            random.chance(0.45) ? minutes(random.int(6, 40)) : seconds(random.int(30, 240)),
          );
          yield* coder.bash(`grep -n "${old.trace}" ${TIMELINE}`);
        }
        yield* coder.bash(`cat ${TIMELINE}`);
        yield* coder.say(`The timeline has ${done.length} events, all in UTC and without names.`);
      },
    };
  },
};
