/** Open items of plans, word for word behind a bar, so that an edit can name the line as it stands. */
import { openItems, type OpenItems } from '../../facts/open-items.ts';
import { missingLine, NOTHING, quoted, type Section, shortAddress } from './section.ts';
import type { Sources } from './sources.ts';

function titleOf({ path, record }: OpenItems, { history, offersRecall }: Sources): string {
  const name = `- ${quoted(path)}`;
  return offersRecall && record.result !== undefined ? `${name} [${shortAddress(history, record.result)}]` : name;
}

function plainLines(items: OpenItems, sources: Sources): readonly string[] {
  return [titleOf(items, sources), ...items.lines.map((line) => `| ${line}`)];
}

/** The plans, the one worked on last first; where room is short the last lines go. */
export function plansSection(title: string, sources: Sources): Section {
  const lines = openItems(sources.history, sources.lens, sources.span.to).flatMap((items) =>
    plainLines(items, sources),
  );
  if (lines.length === 0) return NOTHING;
  const whole = [title, ...lines].join('\n');
  return {
    need: whole.length,
    write(room) {
      if (whole.length <= room) return whole;
      let left = room - title.length - 1 - missingLine(lines.length).length;
      let count = 0;
      while (count < lines.length && left > (lines[count] ?? '').length) {
        left -= (lines[count] ?? '').length + 1;
        count += 1;
      }
      return count < 2 ? '' : [title, ...lines.slice(0, count), missingLine(lines.length - count)].join('\n');
    },
  };
}
