/** `glob`: the files whose path matches a pattern, in path order. */
import * as v from 'valibot';
import { compileGlob, type GlobMatcher } from '../workspace/glob-pattern.ts';
import { walk, type WalkEntry } from '../workspace/walk.ts';
import { defineTool, objectSchema, requiredText } from './define-tool.ts';
import { ignoredNamesFor, searchBase, searchStart } from './search-base.ts';
import { failure, success, type Tool, type ToolContext, type ToolOutput } from './tool.ts';

export interface GlobToolOptions {
  /** Paths listed at most; the others are counted. 1 or more. @default 200 */
  readonly maxMatches?: number;
}

export const DEFAULT_GLOB_TOOL_OPTIONS: Required<GlobToolOptions> = { maxMatches: 200 };

const inputSchema = objectSchema(
  { pattern: { type: 'string', description: 'Such as "src/**/*.ts". A trailing "/" lists folders instead of files.' } },
  ['pattern'],
);

const schema = v.object({ pattern: requiredText() });

export function createGlobTool(options: GlobToolOptions = {}): Tool {
  const maxMatches = options.maxMatches ?? DEFAULT_GLOB_TOOL_OPTIONS.maxMatches;
  return defineTool({
    name: 'glob',
    description:
      'Find files by path. Supports *, **, ?, [a-z] and {a,b}; relative to the workspace root; sorted. ' +
      '.git and node_modules are left out unless the pattern names them.',
    inputSchema,
    schema,
    access: ({ pattern }) => [{ kind: 'read', path: searchStart(withoutSlash(pattern)).start }],
    run: ({ pattern }, context) => runGlob(pattern, context, maxMatches),
  });
}

/** A trailing slash asks for folders; it is no part of the pattern. */
function withoutSlash(pattern: string): string {
  return pattern.replace(/\/+$/, '') || '/';
}

interface Wanted {
  readonly folders: boolean;
  readonly matches: GlobMatcher;
}

async function runGlob(pattern: string, context: ToolContext, maxMatches: number): Promise<ToolOutput> {
  const folders = pattern.endsWith('/');
  const base = searchBase(withoutSlash(pattern), context.workspace);
  if (!base.ok) return failure(`glob: ${base.reason}`);
  const compiled = compileGlob(base.rest === '' ? '**' : base.rest);
  if (!compiled.ok) return failure(`glob: "pattern" cannot be used: ${compiled.reason}`);
  const wanted: Wanted = { folders, matches: compiled.matches };
  const listed: string[] = [];
  let total = 0;
  let truncated = false;
  const entries = walk(base.folder, {
    signal: context.signal,
    ignoredNames: ignoredNamesFor(pattern),
    onTruncated: () => {
      truncated = true;
    },
  });
  for await (const entry of entries) {
    const shown = base.prefix + entry.path;
    if (!isWanted(entry, wanted) || !mayShow(entry, shown, context)) continue;
    total += 1;
    if (listed.length < maxMatches) listed.push(folders ? `${shown}/` : shown);
  }
  if (context.signal.aborted) return failure('glob: interrupted');
  return describe(listed, total, truncated);
}

function isWanted(entry: WalkEntry, wanted: Wanted): boolean {
  return (entry.kind === 'folder') === wanted.folders && wanted.matches(entry.path);
}

/** A link is listed only when it leads to something inside. */
function mayShow(entry: WalkEntry, path: string, context: ToolContext): boolean {
  if (entry.kind === 'link' && !context.workspace.resolve(path, 'read').ok) return false;
  return context.mayRead?.(path) ?? true;
}

function describe(listed: readonly string[], total: number, truncated: boolean): ToolOutput {
  const lines = total === 0 ? ['(no matches)'] : [...listed];
  if (total > listed.length) lines.push(`(${total - listed.length} more matches omitted)`);
  if (truncated) lines.push('(the folder is too large to be searched as a whole; name a folder in the pattern)');
  return success(lines.join('\n'), { matches: total, truncated });
}
