/** A handbook written anew along a plan file of many points, which are ticked one by one. */
import { capital, DOMAINS, kebab, sentences } from '../words.ts';
import { minutes, sample, seconds, tick } from '../habits.ts';
import { page } from '../setup.ts';
import type { SessionPlan } from '../record.ts';

const TARGET_TOKENS = 154_000;
const PLAN = 'PLAN.md';

export const docsPlan: SessionPlan = {
  name: 'docs-plan',
  about: 'a handbook written along a plan of many points',
  use: 'tune',
  startsAt: '2026-02-10T09:00:00Z',
  style: { talk: 0.5, context: 0, reader: 'tool' },
  build(world, random) {
    const domain = DOMAINS.clinic;
    const topics = Array.from({ length: 120 }, (_, index) => {
      const [noun = '', other = ''] = sample(random, domain.nouns, 2);
      return { id: `H-${String(index + 1).padStart(3, '0')}`, words: [random.pick(domain.verbs), noun, other] };
    });
    const pathOf = ({ id, words }: (typeof topics)[number]): string =>
      `handbook/${id.toLowerCase()}-${kebab(words)}.md`;
    topics.forEach((topic, index) => {
      if (index % 3 !== 2)
        world.write(pathOf(topic), page(random, domain, capital(topic.words.join(' ')), random.int(5, 12)));
    });
    world.write(
      PLAN,
      `# Plan of the handbook\n\nEach page answers one question. Never name a product. British spelling.\n\n${topics.map(({ id, words }) => `- [ ] ${id}: ${words.join(' ')}, ${random.pick(['rewrite the introduction', 'add the limits', 'say who decides', 'one example more', 'correct the table'])}`).join('\n')}\n`,
    );
    return {
      programs: [],
      *script(coder) {
        yield* coder.user(
          `Work through ${PLAN} from top to bottom. Tick each point when it is done, never before. Never name a product, and keep British spelling.`,
          0,
        );
        yield* coder.read([PLAN]);
        let count = 0;
        for (const topic of topics) {
          if (coder.tokens > TARGET_TOKENS) break;
          const path = pathOf(topic);
          if (world.has(path)) {
            yield* coder.read([path]);
            for (let edits = random.int(1, 4); edits > 0; edits -= 1) {
              const at = random.pick(coder.seenLines(path));
              yield* coder.editLine(path, at, (line) =>
                line.startsWith('#')
                  ? `${line}\n\n${sentences(random, domain, 2)}`
                  : `${line} ${sentences(random, domain, 2)}`,
              );
            }
          } else
            yield* coder.write(
              path,
              page(random, domain, capital(topic.words.join(' ')), random.int(3, 7)),
              'There is no such page yet.',
            );
          yield* tick(coder, PLAN, topic.id);
          count += 1;
          if (count % 6 === 0) yield* coder.bash(`grep -n "\\[ \\]" ${PLAN} | head -8`, 'What is next?');
          if (count % 8 !== 0) continue;
          yield* coder.say(`${count} points are done; the newest page is ${path}.`);
          yield* coder.user(
            random.pick([
              'Looks good, go on with the next eight.',
              `The page about ${topic.words[1]}s was too long last time. Keep them under two screens.`,
              `Who decides about a ${topic.words[2]}? That must be said on every page that has one. ${sentences(random, domain, 2)}`,
            ]),
            random.chance(0.4) ? minutes(random.int(7, 120)) : seconds(random.int(40, 280)),
          );
        }
        yield* coder.read([PLAN]);
        yield* coder.say(`${count} points of the plan are ticked.`);
      },
    };
  },
};
