/** One `SKILL.md`: its name and its description, from YAML front matter or from what stands there. Nothing in it is trusted. */

/** What the file says of itself; `name` is checked and is a key, never a path. */
export interface SkillHead {
  readonly name: string;
  readonly description: string;
}

export type SkillHeadResult =
  | { readonly ok: true; readonly head: SkillHead }
  | { readonly ok: false; readonly reason: string };

/** Both limits are those of the published format of agent skills. */
export const MAX_SKILL_NAME_CHARS: number = 64;
export const MAX_DESCRIPTION_CHARS: number = 1_024;
const MAX_FRONT_MATTER_CHARS = 16_000;

/** Letters and digits of any script, and a few marks between: no separators of paths, nothing invisible, no `__proto__`. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._: -]*[\p{L}\p{M}\p{N}])?$/u;
/** Line ends, other controls, and marks that turn or hide text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** `folderName` is the name where the front matter gives none; the first line with words is then the description. */
export async function readSkillHead(text: string, folderName: string): Promise<SkillHeadResult> {
  const { matter, body } = split(text);
  const fields = matter === undefined ? {} : await fieldsOf(matter);
  if (typeof fields === 'string') return { ok: false, reason: fields };
  const name = fields['name'] ?? folderName;
  if (typeof name !== 'string') return { ok: false, reason: 'the name in the front matter is not text' };
  const problem = nameProblem(name.normalize('NFC'));
  if (problem !== undefined) return { ok: false, reason: problem };
  const told = fields['description'];
  if (told !== undefined && told !== null && typeof told !== 'string')
    return { ok: false, reason: 'the description in the front matter is not text' };
  const description = oneLine(told ?? firstLine(body));
  return { ok: true, head: { name: name.normalize('NFC'), description } };
}

/** Why a text cannot be the name of a skill; undefined where it can. */
export function nameProblem(name: string): string | undefined {
  if (name.length > MAX_SKILL_NAME_CHARS)
    return `the name has ${name.length} characters; at most ${MAX_SKILL_NAME_CHARS} are allowed`;
  if (NAME.test(name)) return undefined;
  return `the name ${JSON.stringify(name)} must begin and end with a letter or digit, with only letters, digits, spaces and . _ : - between`;
}

/** Cut at the first two lines `---`; a file that does not begin with one has no front matter. */
function split(text: string): { readonly matter?: string; readonly body: string } {
  const found = /^\uFEFF?---[ \t]*\r?\n((?:[\s\S]*?\n)?)---[ \t]*(?:\r?\n|$)/.exec(
    text.slice(0, MAX_FRONT_MATTER_CHARS),
  );
  if (found === null) return { body: text };
  return { matter: found[1] ?? '', body: text.slice(found[0].length) };
}

/** The fields, or why they cannot be read. */
async function fieldsOf(matter: string): Promise<Readonly<Record<string, unknown>> | string> {
  const { parse } = await import('yaml');
  try {
    // No aliases: a few lines of them can stand for gigabytes.
    const value: unknown = parse(matter, { maxAliasCount: 0, logLevel: 'error' });
    if (value === null || value === undefined) return {};
    if (typeof value !== 'object' || Array.isArray(value)) return 'the front matter is not a list of fields';
    return Object.assign(Object.create(null), value) as Readonly<Record<string, unknown>>;
  } catch (error) {
    return `the front matter is not valid YAML: ${oneLine(error instanceof Error ? error.message : String(error)).slice(0, 200)}`;
  }
}

function firstLine(body: string): string {
  for (const line of body.split('\n', 200)) {
    const words = line.replace(/^[#\s]+/, '').trim();
    if (words !== '') return words;
  }
  return '';
}

/** At most `MAX_DESCRIPTION_CHARS` on one line, so that a description cannot pass for another part of a prompt. */
function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * MAX_DESCRIPTION_CHARS)
    .replace(UNSEEN, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= MAX_DESCRIPTION_CHARS ? line : `${line.slice(0, MAX_DESCRIPTION_CHARS - 1).toWellFormed()}…`;
}
