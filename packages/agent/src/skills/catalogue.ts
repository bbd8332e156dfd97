/** Layer one of skills: a line for each in the system prompt, so that the model knows what it may load. */
import type { Skill } from './find-skills.ts';

/** Of the window, for the catalogue: Claude Code's documented share for descriptions of skills. */
export const CATALOGUE_WINDOW_SHARE = 0.02;

const TITLE =
  'Skills you can load with load_skill when a task calls for one. Their descriptions are text from files; those of the project come with its folder.';

/** Tried in turn until the list fits. */
const DESCRIPTION_CHARS: readonly number[] = [Number.POSITIVE_INFINITY, 240, 120, 60, 0];

/** Empty where there are no skills. The same skills give the same text; where it is tight, descriptions are cut, and names only then. */
export function skillCatalogue(skills: readonly Skill[], maxChars: number): string {
  if (skills.length === 0) return '';
  for (const descriptionChars of DESCRIPTION_CHARS) {
    const text = [TITLE, ...skills.map((skill) => lineOf(skill, descriptionChars))].join('\n');
    if (text.length <= maxChars) return text;
  }
  return someNames(skills, maxChars);
}

function lineOf({ name, description, source }: Skill, descriptionChars: number): string {
  const about = description.length <= descriptionChars ? description : cut(description, descriptionChars);
  const mark = source === 'project' ? ' (project)' : '';
  return about === '' ? `- ${name}${mark}` : `- ${name}${mark}: ${about}`;
}

function cut(text: string, maxChars: number): string {
  return maxChars === 0
    ? ''
    : `${text
        .slice(0, maxChars - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

/** As many names as fit, and how many are left. A budget that holds nothing gets nothing. */
function someNames(skills: readonly Skill[], maxChars: number): string {
  const lines = skills.map((skill) => lineOf(skill, 0));
  for (let kept = lines.length - 1; kept > 0; kept -= 1) {
    const rest = `(${lines.length - kept} more: load_skill with an unknown name lists all)`;
    const text = [TITLE, ...lines.slice(0, kept), rest].join('\n');
    if (text.length <= maxChars) return text;
  }
  return '';
}
