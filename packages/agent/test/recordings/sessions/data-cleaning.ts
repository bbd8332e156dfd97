/** Tables and JSON from several sources put into one shape by scripts that are written, run, and mended. */
import { DOMAINS, hex, iso, sentences, uuid } from '../words.ts';
import { minutes, sample, seconds } from '../habits.ts';
import type { SessionPlan } from '../record.ts';
import type { Random } from '../../soak/random.ts';
import type { Coder } from '../coder.ts';
import type { Does } from '../steps.ts';

const TARGET_TOKENS = 164_000;
const domain = DOMAINS.clinic;

interface Source {
  readonly path: string;
  readonly columns: readonly string[];
}

function cell(random: Random, column: string): string {
  if (column.endsWith('_id')) return `${column.slice(0, 3).toUpperCase()}-${random.int(100_000, 999_999)}`;
  if (column.endsWith('_at')) return iso(Date.parse('2026-01-01T00:00:00Z') + random.int(0, 9_000_000) * 1_000);
  if (column.endsWith('_count')) return random.chance(0.03) ? 'n/a' : String(random.int(0, 900));
  return random.chance(0.05) ? '' : random.pick(domain.nouns);
}

function table(random: Random, { columns }: Source, rows: number): string {
  return `${[columns, ...Array.from({ length: rows }, () => columns.map((column) => cell(random, column)))].map((row) => row.join(';')).join('\n')}\n`;
}

function records(random: Random, { columns }: Source, rows: number): string {
  const list = Array.from({ length: rows }, () => ({
    key: uuid(random),
    ...Object.fromEntries(columns.map((column) => [column, cell(random, column)])),
    meta: { batch: hex(random, 8), checked: random.chance(0.5) },
  }));
  return `${JSON.stringify(list, null, 2)}\n`;
}

function script({ path, columns }: Source, random: Random): string {
  const rules = columns.map(
    (column) =>
      `    row["${column}"] = clean_${random.pick(['text', 'number', 'time'])}(row["${column}"], default=${random.int(0, 99)})  # ${sentences(random, domain, 1)}`,
  );
  return `import csv\nimport json\nimport sys\n\nfrom cleaning import clean_number, clean_text, clean_time\n\nSOURCE = "${path}"\nLIMIT = ${random.int(100, 9_000)}\n\n\ndef clean(row):\n${rules.join('\n')}\n    return row\n\n\ndef main():\n    rows = [clean(row) for row in load(SOURCE)][:LIMIT]\n    report(rows, key="${columns[0]}")\n\n\nif __name__ == "__main__":\n    sys.exit(main())\n`;
}

function outcome(random: Random, { columns }: Source): string {
  const rows = columns.map(
    (column) =>
      `${column.padEnd(28)} ${String(random.int(0, 400)).padStart(6)} empty ${String(random.int(0, 90)).padStart(5)} odd   first ${cell(random, column) || '-'}`,
  );
  const odd = Array.from(
    { length: random.int(4, 30) },
    () =>
      `line ${random.int(2, 1_200)}: ${random.pick(columns)} is ${JSON.stringify(cell(random, 'x_count'))}, batch ${hex(random, 8)}`,
  );
  return [...rows, '', ...odd, '', `${random.int(700, 1_300)} rows kept, ${odd.length} odd`].join('\n');
}

const scriptOf = ({ path }: Source): string => `scripts/clean_${path.replace(/.*\/|\..*/g, '')}.py`;

function* clean(coder: Coder, source: Source): Does<void> {
  const { random, world } = coder;
  yield* coder.bash(`head -${random.int(15, 40)} ${source.path}`, `What does ${source.path} look like?`);
  if (source.path.endsWith('.csv')) yield* coder.bash(`wc -l ${source.path}`);
  const path = scriptOf(source);
  if (!world.has(path)) yield* coder.write(path, script(source, random), 'A script for it.');
  for (let attempt = random.int(1, 4); attempt > 0; attempt -= 1) {
    yield* coder.bash(`python3 ${path}`, 'What does it make of them?');
    const seen = coder.seenLines(path).filter((index) => (world.lines(path)[index] ?? '').includes('clean_'));
    if (seen.length > 0)
      yield* coder.editLine(
        path,
        random.pick(seen),
        (line) => line.replace(/default=\d+/, `default=${random.int(100, 999)}`),
        'That rule was too strict.',
      );
  }
}

export const dataCleaning: SessionPlan = {
  name: 'data-cleaning',
  about: 'tables and JSON of several sources put into one shape',
  use: 'held-out',
  startsAt: '2026-05-26T11:15:00Z',
  style: { talk: 0.65, context: 1, reader: 'tool' },
  build(world, random) {
    const sources = Array.from({ length: 14 }, (_, index): Source => {
      const columns = sample(random, domain.nouns, random.int(6, 12)).map(
        (noun, at) => `${noun}_${['id', 'at', 'count', 'name'][at % 4]}`,
      );
      return {
        path: `data/${random.pick(domain.verbs)}_${random.pick(domain.nouns)}_${index}.${index % 3 === 2 ? 'json' : 'csv'}`,
        columns,
      };
    });
    for (const source of sources)
      world.write(
        source.path,
        source.path.endsWith('.csv')
          ? table(random, source, random.int(400, 1_200))
          : records(random, source, random.int(60, 200)),
      );
    return {
      programs: [
        {
          command: /^python3 scripts\/clean_(\S+)\.py$/,
          run([, name = '']) {
            const source = sources.find(({ path }) => path.includes(`/${name}.`));
            if (source === undefined) throw new Error(`no source for ${name}`);
            if (random.chance(0.15))
              return {
                out: `Traceback (most recent call last):\n  File "${scriptOf(source)}", line ${random.int(10, 40)}, in clean\nKeyError: '${random.pick(source.columns)}'`,
                code: 1,
                ms: 800,
              };
            return { out: outcome(random, source), ms: 2_600 };
          },
        },
      ],
      *script(coder) {
        yield* coder.user(
          'The fourteen exports in data/ have to go into one shape. One script each in scripts/, say what is odd with line and batch. Never change a file in data/, and always keep ids as text.',
          0,
        );
        yield* coder.bash('ls data');
        for (let round = 0; coder.tokens < TARGET_TOKENS; round += 1) {
          const source = sources[round % sources.length];
          if (source === undefined) break;
          yield* clean(coder, source);
          if (round % 2 === 0) continue;
          yield* coder.say(`${source.path}: ${sentences(random, domain, 1)}`);
          const [column = ''] = sample(random, source.columns, 1);
          yield* coder.user(
            random.pick([
              `What is odd about ${column}?`,
              `For ${source.path}: an empty ${column} means unknown, not zero. Remember that for all of them.`,
              'ok, the next ones please',
            ]),
            random.chance(0.4) ? minutes(random.int(6, 80)) : seconds(random.int(20, 220)),
          );
          yield* coder.bash(`grep -n "n/a" ${source.path} | head -20`, 'I look at the odd ones.');
        }
        yield* coder.bash('ls scripts');
        yield* coder.say('Each export has its script; the data itself is as it was.');
      },
    };
  },
};
