/** `grep`: lines that match an RE2 expression. RE2 has linear time, so no expression can hang the session. */
import { RE2JS, RE2JSException } from 're2js';
import * as v from 'valibot';
import { openConfined } from '../workspace/confined-files.ts';
import { compileGlob, type GlobMatcher } from '../workspace/glob-pattern.ts';
import { walk } from '../workspace/walk.ts';
import { cutEnd, head } from './cut-text.ts';
import { defineTool, objectSchema, requiredText } from './define-tool.ts';
import { fileFailure, missingFailure } from './file-errors.ts';
import { isBinary } from './read-file.ts';
import { ignoredNamesFor, prefixOf } from './search-base.ts';
import { failure, success, type Tool, type ToolContext, type ToolOutput } from './tool.ts';

export interface GrepOptions {
  /** Lines listed at most; the others are counted. 1 or more. @default 200 */
  readonly maxMatches?: number;
  /** Longer lines are cut. 1 or more. @default 300 */
  readonly maxLineChars?: number;
  /** Larger files are passed over and counted. 1 or more. @default 10000000 */
  readonly maxFileBytes?: number;
  /** Milliseconds after which the search stops and says so. 1 or more. @default 20000 */
  readonly timeoutMs?: number;
}

export const DEFAULT_GREP_OPTIONS: Required<GrepOptions> = {
  maxMatches: 200,
  maxLineChars: 300,
  maxFileBytes: 10_000_000,
  timeoutMs: 20_000,
};

/** Longer expressions are mistakes, and RE2 time grows with expression times text. */
const MAX_PATTERN_CHARS = 1000;
/** Of a longer line only the beginning is searched: the clock cannot be looked at within a line. */
const MAX_SEARCHED_LINE_CHARS = 100_000;
/** Characters matched between two looks at the clock. */
const CHARS_PER_CHECK = 100_000;
/** What a line costs besides its length. */
const LINE_COST_CHARS = 100;

const inputSchema = objectSchema(
  {
    pattern: { type: 'string', description: 'Regular expression in RE2 syntax (no look-around, no back-references).' },
    path: { type: 'string', description: 'File or folder to search. Default: the workspace root.' },
    glob: { type: 'string', description: 'Only files whose path matches, such as "*.ts" or "src/**".' },
    ignore_case: { type: 'boolean', description: 'Match letters without regard to case. Default: false.' },
  },
  ['pattern'],
);

const schema = v.object({
  pattern: v.pipe(requiredText(), v.maxLength(MAX_PATTERN_CHARS, `at most ${MAX_PATTERN_CHARS} characters long`)),
  path: v.nullish(requiredText()),
  glob: v.nullish(requiredText()),
  ignore_case: v.nullish(v.boolean('true or false')),
});

type GrepInput = v.InferOutput<typeof schema>;

export function createGrepTool(options: GrepOptions = {}): Tool {
  const settings = { ...DEFAULT_GREP_OPTIONS, ...options };
  return defineTool({
    name: 'grep',
    description:
      'Search file contents line by line. Returns "file:line:text" in path order. Binary files, .git and ' +
      'node_modules are left out.',
    inputSchema,
    schema,
    access: ({ path }) => [{ kind: 'read', path: path ?? '.' }],
    run: (input, context) => runGrep(input, context, settings),
  });
}

interface Search {
  readonly expression: RE2JS;
  readonly context: ToolContext;
  readonly settings: Required<GrepOptions>;
  readonly deadlineMs: number;
  readonly listed: string[];
  total: number;
  largeFiles: number;
  timedOut: boolean;
  truncated: boolean;
  longLines: number;
}

async function runGrep(input: GrepInput, context: ToolContext, settings: Required<GrepOptions>): Promise<ToolOutput> {
  const expression = compileExpression(input);
  if (typeof expression === 'string') return failure(expression);
  const accepts = fileFilter(input.glob ?? undefined);
  if (typeof accepts === 'string') return failure(accepts);
  const start = context.workspace.resolve(input.path ?? '.', 'read');
  if (!start.ok) return failure(`grep: ${start.reason}`);
  const search: Search = {
    expression,
    context,
    settings,
    deadlineMs: context.now() + settings.timeoutMs,
    listed: [],
    total: 0,
    largeFiles: 0,
    timedOut: false,
    truncated: false,
    longLines: 0,
  };
  const code = await searchFile(start.path, start.relative, search);
  if (code === 'EISDIR') await searchFolder(start.path, { accepts, named: `${input.path}/${input.glob}` }, search);
  else if (code === 'ENOENT') return missingFailure('grep', start.path, context);
  else if (code !== undefined) return fileFailure({ tool: 'grep', path: start.relative, code });
  if (context.signal.aborted) return failure('grep: interrupted');
  return describe(search);
}

function compileExpression(input: GrepInput): RE2JS | string {
  try {
    return RE2JS.compile(input.pattern, input.ignore_case ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `grep: "pattern" is not a valid RE2 expression: ${error.message}. Look-around and back-references are not supported; escape literal brackets and braces`;
  }
}

/** Without a slash the pattern is about file names at any depth, as in other search tools. */
function fileFilter(glob: string | undefined): GlobMatcher | string {
  if (glob === undefined) return () => true;
  const compiled = compileGlob(glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`);
  return compiled.ok ? compiled.matches : `grep: "glob" cannot be used: ${compiled.reason}`;
}

interface FolderSearch {
  readonly accepts: GlobMatcher;
  /** Names in this text are searched even when they are ignored by default. */
  readonly named: string;
}

async function searchFolder(folder: string, folderSearch: FolderSearch, search: Search): Promise<void> {
  const { context } = search;
  const prefix = prefixOf(folder, context.workspace);
  const ignoredNames = ignoredNamesFor(folderSearch.named);
  const onTruncated = (): void => {
    search.truncated = true;
  };
  for await (const entry of walk(folder, { signal: context.signal, ignoredNames, onTruncated })) {
    if (search.timedOut) return;
    const path = prefix + entry.path;
    const accepted = entry.kind === 'file' && (folderSearch.accepts(path) || folderSearch.accepts(entry.path));
    if (!accepted || !(context.mayRead?.(path) ?? true)) continue;
    // a file that cannot be read is passed over, as a folder is
    await searchFile(folder === '/' ? `/${entry.path}` : `${folder}/${entry.path}`, path, search);
  }
}

/** Returns the code of the failure to open the file, if any. */
async function searchFile(realPath: string, shownPath: string, search: Search): Promise<string | undefined> {
  const opened = await openConfined(realPath);
  if (!opened.ok) return opened.code;
  try {
    if (opened.sizeBytes > search.settings.maxFileBytes) {
      search.largeFiles += 1;
      return undefined;
    }
    const bytes = await opened.handle.readFile();
    if (!isBinary(bytes)) await searchText(bytes.toString('utf8'), shownPath, search);
    return undefined;
  } finally {
    await opened.handle.close();
  }
}

async function searchText(text: string, shownPath: string, search: Search): Promise<void> {
  const { settings, context } = search;
  let line = 0;
  let unchecked = 0;
  for (let start = 0; start < text.length; ) {
    const end = lineEnd(text, start);
    line += 1;
    const content = text.slice(start, text[end - 1] === '\r' ? end - 1 : end);
    start = end + 1;
    unchecked += content.length + LINE_COST_CHARS;
    if (unchecked > CHARS_PER_CHECK) {
      if (!(await mayGoOn(search))) return;
      unchecked = 0;
    }
    if (content.length > MAX_SEARCHED_LINE_CHARS) search.longLines += 1;
    if (!search.expression.test(head(content, MAX_SEARCHED_LINE_CHARS))) continue;
    search.total += 1;
    if (search.listed.length < settings.maxMatches) {
      search.listed.push(`${shownPath}:${line}:${cutEnd(content, settings.maxLineChars)}`);
    }
  }
  if (context.now() > search.deadlineMs) search.timedOut = true;
}

function lineEnd(text: string, start: number): number {
  const found = text.indexOf('\n', start);
  return found === -1 ? text.length : found;
}

/** Lets an interrupt arrive: matching itself never leaves the thread. */
async function mayGoOn(search: Search): Promise<boolean> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  search.timedOut = search.context.now() > search.deadlineMs;
  return !search.timedOut && !search.context.signal.aborted;
}

function describe(search: Search): ToolOutput {
  const { listed, total, largeFiles, longLines, timedOut, settings } = search;
  const notes: string[] = [];
  if (total > listed.length) notes.push(`(${total - listed.length} more matches omitted)`);
  if (largeFiles > 0) notes.push(`(${largeFiles} files over ${settings.maxFileBytes} bytes not searched)`);
  if (longLines > 0)
    notes.push(`(${longLines} lines searched in their first ${MAX_SEARCHED_LINE_CHARS} characters only)`);
  if (timedOut) notes.push(`(stopped after ${settings.timeoutMs / 1000} s; narrow "path" or "glob")`);
  if (search.truncated) notes.push('(the folder is too large to be searched as a whole; name a smaller "path")');
  const found = total === 0 ? ['(no matches)'] : listed;
  return success([...found, ...notes].join('\n'), { matches: total, largeFiles, timedOut });
}
