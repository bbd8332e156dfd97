/** Which skills there are: `SKILL.md` files one folder deep in the project's and the user's folders. Looked up by name afterwards, never by path. */
import { readdir, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { openConfined } from '../workspace/confined-files.ts';
import { errorCode, isInside } from '../workspace/workspace.ts';
import { readSkillHead, type SkillHead } from './skill-file.ts';

/** `project`: the folder worked in, which may be a stranger's; `user`: the user's own. */
export type SkillSource = 'project' | 'user';

export interface Skill extends SkillHead {
  readonly source: SkillSource;
  /** Real path of its `SKILL.md`. */
  readonly path: string;
  /** For people and models: relative to the workspace, or the real path outside of it. */
  readonly shownPath: string;
}

export interface SkippedSkill {
  readonly path: string;
  readonly reason: string;
}

export interface FoundSkills {
  /** By name. */
  readonly skills: readonly Skill[];
  /** What looked like a skill and is not offered, with the reason. */
  readonly skipped: readonly SkippedSkill[];
}

export interface FindSkillsOptions {
  /** Absolute real path. */
  readonly workspaceRoot: string;
  /** The user's skills, such as `~/.holdover/skills`. Absent: none. */
  readonly userFolder?: string;
}

/** A larger file is no instruction but data. */
export const MAX_SKILL_BYTES: number = 200_000;
/** Folders looked at in each place. */
const MAX_SKILLS = 200;

/** In order of precedence. `skills` is where the teaching system keeps them. */
const PROJECT_FOLDERS: readonly string[] = [join('.holdover', 'skills'), 'skills'];

export async function findSkills(options: FindSkillsOptions): Promise<FoundSkills> {
  const { workspaceRoot, userFolder } = options;
  // The user's own first: a folder that came from somebody else must not put its words in their place.
  const places: readonly Place[] = [
    ...(userFolder === undefined ? [] : [{ folder: userFolder, source: 'user' as const }]),
    ...PROJECT_FOLDERS.map(
      (name): Place => ({ folder: join(workspaceRoot, name), within: workspaceRoot, source: 'project' }),
    ),
  ];
  const skills = new Map<string, Skill>();
  const skipped: SkippedSkill[] = [];
  for (const place of places) {
    for (const found of await skillsIn(place, workspaceRoot)) {
      const other = 'name' in found ? skills.get(found.name) : undefined;
      if (!('name' in found)) skipped.push(found);
      else if (other === undefined) skills.set(found.name, found);
      else skipped.push({ path: found.shownPath, reason: `the name ${found.name} is taken by ${other.shownPath}` });
    }
  }
  return { skills: [...skills.values()].sort((one, other) => (one.name < other.name ? -1 : 1)), skipped };
}

/** The whole file as it is now, or why it cannot be read. */
export async function readSkill(
  path: string,
): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string }> {
  const opened = await openConfined(path);
  if (!opened.ok) return { ok: false, reason: `cannot be read (${opened.code})` };
  try {
    if (opened.sizeBytes > MAX_SKILL_BYTES)
      return { ok: false, reason: `has ${opened.sizeBytes} bytes; at most ${MAX_SKILL_BYTES} are allowed` };
    const bytes = await opened.handle.readFile();
    if (bytes.includes(0)) return { ok: false, reason: 'is a binary file' };
    return { ok: true, text: bytes.toString('utf8') };
  } catch (error) {
    return { ok: false, reason: `cannot be read (${errorCode(error)})` };
  } finally {
    await opened.handle.close();
  }
}

interface Place {
  readonly folder: string;
  /** Where the folder itself must really lie. Absent: the user may link to it. */
  readonly within?: string;
  readonly source: SkillSource;
}

async function skillsIn(place: Place, workspaceRoot: string): Promise<readonly (Skill | SkippedSkill)[]> {
  const folder = await realpath(place.folder).catch(() => undefined);
  if (folder === undefined) return [];
  const shown = (path: string): string =>
    isInside(workspaceRoot, path) ? relative(workspaceRoot, path).split(sep).join('/') : path;
  if (place.within !== undefined && !isInside(place.within, folder))
    return [{ path: shown(place.folder), reason: 'leads out of the project by a symbolic link' }];
  const names = await readdir(folder).catch(() => []);
  const found: (Skill | SkippedSkill)[] = [];
  for (const name of names.sort().slice(0, MAX_SKILLS)) {
    const skill = await skillAt({ folder, name, source: place.source, shown });
    if (skill !== undefined) found.push(skill);
  }
  return found;
}

interface Candidate {
  /** Real path. */
  readonly folder: string;
  readonly name: string;
  readonly source: SkillSource;
  readonly shown: (path: string) => string;
}

async function skillAt({ folder, name, source, shown }: Candidate): Promise<Skill | SkippedSkill | undefined> {
  const named = join(folder, name, 'SKILL.md');
  const path = await realpath(named).catch(() => undefined);
  // A file beside the folders, or a folder without a skill, is nobody's mistake.
  if (path === undefined) return undefined;
  if (!isInside(folder, path)) return { path: shown(named), reason: 'leads out of its folder by a symbolic link' };
  const file = await readSkill(path);
  if (!file.ok) return { path: shown(path), reason: file.reason };
  const result = await readSkillHead(file.text, name);
  if (!result.ok) return { path: shown(path), reason: result.reason };
  return { ...result.head, source, path, shownPath: shown(path) };
}
