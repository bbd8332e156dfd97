/** Logs of services, with things in them that somebody will look for. */
import type { Random } from '../../soak/random.ts';
import { type Domain, hex, ipAddress, iso, kebab } from '../words.ts';

export interface Incident {
  /** Stands in every line about it. */
  readonly trace: string;
  readonly service: string;
  readonly atMs: number;
  readonly error: string;
  readonly code: string;
}

export interface LogOptions {
  readonly random: Random;
  readonly domain: Domain;
  readonly service: string;
  readonly startMs: number;
  readonly lines: number;
  readonly incidents: readonly Incident[];
}

export function makeIncident(random: Random, domain: Domain, about: { service: string; atMs: number }): Incident {
  const [noun, other] = [random.pick(domain.nouns), random.pick(domain.nouns)];
  return {
    ...about,
    trace: `trc_${hex(random, 12)}`,
    code: `E${random.int(1_000, 9_999)}`,
    error: `${noun} ${random.pick(domain.verbs)} failed: ${other} ${random.pick(['is locked', 'is missing', 'timed out', 'has two owners', 'went backwards'])}`,
  };
}

function incidentLines(
  { trace, service, atMs, error, code }: Incident,
  random: Random,
): readonly (readonly [number, string])[] {
  const at = (ms: number): number => atMs + ms;
  return [
    [at(0), `INFO  [${service}] trace=${trace} begin host=${ipAddress(random)}`],
    [at(random.int(40, 900)), `WARN  [${service}] trace=${trace} slow dependency ms=${random.int(900, 9_000)}`],
    [at(1_000 + random.int(40, 900)), `ERROR [${service}] trace=${trace} code=${code} ${error}`],
    [at(2_000), `    at ${kebab([service, 'worker'])}.run (worker.ts:${random.int(20, 300)}:${random.int(3, 60)})`],
    [at(2_001), `    at ${kebab([service, 'queue'])}.drain (queue.ts:${random.int(20, 300)}:${random.int(3, 60)})`],
    [at(2_400), `INFO  [${service}] trace=${trace} gave up attempts=${random.int(2, 6)}`],
  ];
}

function ordinary(random: Random, domain: Domain, service: string): string {
  const level = random.weighted({ INFO: 12, DEBUG: 6, WARN: 1 });
  const [noun, verb] = [random.pick(domain.nouns), random.pick(domain.verbs)];
  const fields = [
    `${noun}=${noun.slice(0, 3)}-${random.int(10_000, 99_999)}`,
    `ms=${random.int(1, 480)}`,
    ...(random.chance(0.4) ? [`host=${ipAddress(random)}`] : []),
    ...(random.chance(0.3) ? [`trace=trc_${hex(random, 12)}`] : []),
  ];
  return `${level.padEnd(5)} [${service}] ${verb} ${noun} ${fields.join(' ')}`;
}

/** The text of a log, in order of time. */
export function serviceLog({ random, domain, service, startMs, lines, incidents }: LogOptions): string {
  const all: (readonly [number, string])[] = [];
  let now = startMs;
  for (let index = 0; index < lines; index += 1) {
    now += random.int(20, 2_400);
    all.push([now, ordinary(random, domain, service)]);
  }
  for (const incident of incidents) all.push(...incidentLines(incident, random));
  all.sort(([one], [other]) => one - other);
  return `${all.map(([ms, text]) => (text.startsWith('    ') ? text : `${iso(ms)} ${text}`)).join('\n')}\n`;
}
