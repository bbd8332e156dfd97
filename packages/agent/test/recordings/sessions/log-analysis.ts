/** Questions about a night's logs, answered by searching them; findings go into a report that grows. */
import { iso, DOMAINS, sentences } from '../words.ts';
import { type Incident, makeIncident, serviceLog } from '../programs/logs.ts';
import { minutes, sample, seconds } from '../habits.ts';
import type { SessionPlan } from '../record.ts';
import type { Coder } from '../coder.ts';
import type { Does } from '../steps.ts';

const TARGET_TOKENS = 158_000;
const SERVICES = ['gateway', 'router', 'uploader', 'alerts', 'registry'];
const REPORT = 'report.md';
const START_MS = Date.parse('2026-05-07T22:00:00Z');

function* lookInto(coder: Coder, incident: Incident): Does<void> {
  const { random } = coder;
  const { service, trace, atMs, code, error } = incident;
  yield* coder.bash(`grep -n "${code}" logs/${service}.log`, `What is ${code}?`);
  yield* coder.bash(`grep -rn "${trace}" logs`, `I follow ${trace} through the services.`);
  const line = coder.world.lines(`logs/${service}.log`).findIndex((text) => text.includes(trace));
  const around = random.int(30, 70);
  yield* coder.bash(
    `sed -n '${Math.max(1, line - around)},${line + around}p' logs/${service}.log`,
    'And what happened around it?',
  );
  if (random.chance(0.5))
    yield* coder.bash(`grep -n "${iso(atMs).slice(0, 16)}" logs/${random.pick(SERVICES)}.log | head -60`);
  const last = coder.world.lines(REPORT).length - 1;
  const row = `| ${iso(atMs)} | ${service} | ${code} | ${trace} | ${error} |`;
  yield* coder.edit(
    REPORT,
    [last - 1, last],
    [coder.world.lines(REPORT)[last - 1] ?? '', row],
    'Into the report with it.',
  );
}

export const logAnalysis: SessionPlan = {
  name: 'log-analysis',
  about: 'an analysis of the logs of five services',
  use: 'tune',
  startsAt: '2026-05-08T07:30:00Z',
  style: { talk: 0.6, context: 1, reader: 'sed' },
  build(world, random) {
    const domain = DOMAINS.fleet;
    const incidents = Array.from({ length: 48 }, () =>
      makeIncident(random, domain, { service: random.pick(SERVICES), atMs: START_MS + random.int(60_000, 1_500_000) }),
    );
    for (const service of SERVICES)
      world.write(
        `logs/${service}.log`,
        serviceLog({
          random,
          domain,
          service,
          startMs: START_MS,
          lines: 1_400,
          incidents: incidents.filter((one) => one.service === service),
        }),
      );
    world.write('README.md', `# Nightly run\n\n${sentences(random, domain, 8)}\n`);
    return {
      programs: [],
      *script(coder) {
        yield* coder.user(
          'Something went wrong in the nightly run between 22:00 and 22:30 UTC. The logs are in logs/. Find every error that gave up, and keep a table of time, service, code, trace and cause in report.md. Always give the trace in full: support searches for it.',
          0,
        );
        yield* coder.bash('ls logs');
        yield* coder.bash(`wc -l ${SERVICES.map((service) => `logs/${service}.log`).join(' ')}`);
        yield* coder.bash('grep -rn "ERROR" logs | head -25', 'A first look at the errors.');
        yield* coder.write(
          REPORT,
          '# Errors of the night\n\n| time | service | code | trace | cause |\n| --- | --- | --- | --- | --- |\n',
        );
        const done: Incident[] = [];
        for (const incident of incidents) {
          if (coder.tokens > TARGET_TOKENS) break;
          yield* lookInto(coder, incident);
          done.push(incident);
          if (done.length % 5 !== 0) continue;
          const [old = incident] = sample(random, done.slice(0, 5), 1);
          yield* coder.say(
            `${done.length} so far. The newest: ${incident.code} in ${incident.service}, ${incident.error}.`,
          );
          yield* coder.user(
            random.pick([
              `What was the cause of ${old.code} again, and which host began ${old.trace}?`,
              'Go on.',
              `Is ${incident.code} the same thing as ${old.code}?`,
              'Leave out what happened before 22:01, that was the deployment.',
            ]),
            random.chance(0.35) ? minutes(random.int(6, 25)) : seconds(random.int(20, 200)),
          );
          yield* coder.bash(`grep -rn "${old.trace}" logs`, 'I look that one up once more.');
        }
        yield* coder.bash(`cat ${REPORT}`);
        yield* coder.say(`The report has ${done.length} errors, each with its trace in full.`);
      },
    };
  },
};
