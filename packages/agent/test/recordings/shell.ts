/** A shell that looks like one and gives the same output on every machine: small programs over the world. */
import { defineTool, objectSchema, type Tool } from '@holdover/agent';
import * as v from 'valibot';
import type { Clock } from './steps.ts';
import type { World } from './world.ts';

export interface Ran {
  readonly out: string;
  /** @default 0 */
  readonly code?: number;
  /** How long it took. @default 400 */
  readonly ms?: number;
  /** True where the user stops it in the middle. */
  readonly isInterrupted?: boolean;
}

export interface Program {
  readonly command: RegExp;
  readonly run: (match: RegExpExecArray, world: World) => Ran;
}

/** As the agent's own shell cuts them. */
const MAX_OUTPUT_CHARS = 50_000;

function ls(world: World, folder: string): string {
  const prefix = folder === '.' || folder === '' ? '' : `${folder.replace(/\/$/, '')}/`;
  const inside = world.paths().filter((path) => path.startsWith(prefix));
  return [...new Set(inside.map((path) => path.slice(prefix.length).replace(/\/.*/, '/')))].join('\n');
}

function slice(world: World, path: string, from: number, to: number): string {
  return world.lines(path).slice(from, to).join('\n');
}

function wc(world: World, paths: readonly string[]): string {
  const counts = paths.map((path) => [world.lines(path).length - 1, path] as const);
  const all = counts.reduce((sum, [count]) => sum + count, 0);
  const rows = paths.length > 1 ? [...counts, [all, 'total'] as const] : counts;
  return rows.map(([count, path]) => `${String(count).padStart(7)} ${path}`).join('\n');
}

/** Files a word of a command line means: itself, or those a star matches. */
export function filesOf(world: World, words: string): readonly string[] {
  return words.split(/\s+/).flatMap((word) => {
    if (!word.includes('*')) return [word];
    const pattern = new RegExp(`^${word.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
    return world.paths().filter((path) => pattern.test(path));
  });
}

function grep(world: World, [pattern, files, cap]: readonly [string, string, number]): Ran {
  const expression = new RegExp(pattern);
  const paths = filesOf(world, files).flatMap((path) =>
    world.has(path) ? [path] : world.paths().filter((other) => other.startsWith(`${path.replace(/\/$/, '')}/`)),
  );
  const found = paths.flatMap((path) =>
    world
      .lines(path)
      .flatMap((line, index) =>
        expression.test(line) ? [paths.length > 1 ? `${path}:${index + 1}:${line}` : `${index + 1}:${line}`] : [],
      ),
  );
  return found.length === 0 ? { out: '', code: 1 } : { out: found.slice(0, cap).join('\n') };
}

const COMMON: readonly Program[] = [
  { command: /^cat (\S+)$/, run: ([, path = ''], world) => ({ out: world.text(path) }) },
  {
    command: /^sed -n '(\d+),(\d+)p' (\S+)$/,
    run: ([, from, to, path = ''], world) => ({ out: slice(world, path, Number(from) - 1, Number(to)) }),
  },
  {
    command: /^head -n? ?(\d+) (\S+)$/,
    run: ([, count, path = ''], world) => ({ out: slice(world, path, 0, Number(count)) }),
  },
  {
    command: /^tail -n? ?(\d+) (\S+)$/,
    run: ([, count, path = ''], world) => ({ out: slice(world, path, -Number(count) - 1, Number.MAX_SAFE_INTEGER) }),
  },
  { command: /^ls ?(\S*)$/, run: ([, folder = ''], world) => ({ out: ls(world, folder) }) },
  { command: /^wc -l (.+)$/, run: ([, words = ''], world) => ({ out: wc(world, filesOf(world, words)) }) },
  {
    command: /^grep -r?n "([^"]+)" ([^|]+?)(?: \| head -(\d+))?$/,
    run: ([, pattern = '', files = '', cap = '400'], world) => grep(world, [pattern, files, Number(cap)]),
  },
  {
    command: /^git status --short$/,
    run: (_, world) => ({
      out: world
        .changed()
        .map((path) => ` M ${path}`)
        .join('\n'),
    }),
  },
  {
    command: /^git add -A && git commit -qm "(.+)"$/,
    run(_, world) {
      world.mark();
      return { out: '', ms: 900 };
    },
  },
];

function shown({ out, code = 0, isInterrupted = false }: Ran): { text: string; isError: boolean } {
  const middle = '\n[... cut ...]\n';
  const cut =
    out.length <= MAX_OUTPUT_CHARS
      ? out
      : out.slice(0, MAX_OUTPUT_CHARS / 2) + middle + out.slice(-MAX_OUTPUT_CHARS / 2);
  const text = cut === '' ? '(no output)' : cut;
  if (isInterrupted)
    return { text: `${text}\n(interrupted; the command and everything it started were ended)`, isError: true };
  return code === 0 ? { text, isError: false } : { text: `${text}\n(exit code ${code})`, isError: true };
}

export interface ShellOptions {
  readonly world: World;
  readonly clock: Clock;
  readonly programs: readonly Program[];
  /** Ends the run under way. */
  readonly interrupt: () => void;
}

/** Takes the place of the agent's own `bash`. */
export function createShell({ world, clock, programs, interrupt }: ShellOptions): Tool {
  const known = [...programs, ...COMMON];
  return defineTool({
    name: 'bash',
    description:
      'Run a shell command in the workspace root and return its output (standard output and standard error).',
    inputSchema: objectSchema({ command: { type: 'string' } }, ['command']),
    schema: v.object({ command: v.string() }),
    access: ({ command }) => [{ kind: 'command', command }],
    async run({ command }) {
      for (const program of known) {
        const match = program.command.exec(command);
        if (match === null) continue;
        const ran = program.run(match, world);
        clock.pass(ran.ms ?? 400);
        if (ran.isInterrupted === true) interrupt();
        return shown(ran);
      }
      throw new Error(`no program of this world knows ${JSON.stringify(command)}`);
    },
  });
}
