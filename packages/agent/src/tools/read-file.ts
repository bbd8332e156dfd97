/** `read_file`: the text of one file, or a range of its lines, byte for byte as it is on disk. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import * as v from 'valibot';
import type { LineSpan } from '../file-state/file-state.ts';
import { unchangedStub } from '../file-state/unchanged-stub.ts';
import { openConfined } from '../workspace/confined-files.ts';
import { defineTool, integerFrom, objectSchema, requiredText } from './define-tool.ts';
import { fileFailure, missingFailure } from './file-errors.ts';
import { createLineRange, type LineRange } from './line-range.ts';
import { failure, success, type Tool, type ToolContext, type ToolOutput } from './tool.ts';

export interface ReadFileOptions {
  /** Most bytes one call returns; larger files are read in ranges. 1 or more. @default 10000000 */
  readonly maxBytes?: number;
}

export const DEFAULT_READ_FILE_OPTIONS: Required<ReadFileOptions> = { maxBytes: 10_000_000 };

/** Text has no NUL; looking at the first 8 KB is git's test for binary files. */
export const BINARY_PROBE_BYTES: number = 8000;
const CHUNK_BYTES = 256 * 1024;

const inputSchema = objectSchema(
  {
    path: { type: 'string', description: 'File path, relative to the workspace root.' },
    limit: { type: 'integer', minimum: 1, description: 'Most lines to return. Default: all.' },
    offset: { type: 'integer', minimum: 0, description: 'Lines to skip first. Default: 0.' },
  },
  ['path'],
);

const schema = v.object({
  path: requiredText(),
  limit: v.nullish(integerFrom(1)),
  offset: v.nullish(integerFrom(0)),
});

type ReadInput = v.InferOutput<typeof schema>;

export function createReadFileTool(options: ReadFileOptions = {}): Tool {
  const maxBytes = options.maxBytes ?? DEFAULT_READ_FILE_OPTIONS.maxBytes;
  return defineTool({
    name: 'read_file',
    description:
      'Read a text file. Returns its lines exactly, without line numbers; with "limit", ends in "(N more lines)" ' +
      'when lines are left. Use "offset" and "limit" for large files.',
    inputSchema,
    schema,
    access: ({ path }) => [{ kind: 'read', path }],
    run: (input, context) => readFile(input, context, maxBytes),
  });
}

async function readFile(input: ReadInput, context: ToolContext, maxBytes: number): Promise<ToolOutput> {
  const resolved = context.workspace.resolve(input.path, 'read');
  if (!resolved.ok) return failure(`read_file: ${resolved.reason}`);
  const opened = await openConfined(resolved.path);
  if (!opened.ok) {
    if (opened.code === 'ENOENT') return missingFailure('read_file', resolved.path, context);
    return fileFailure({ tool: 'read_file', path: resolved.relative, code: opened.code });
  }
  try {
    const wholeFile = input.limit === undefined || input.limit === null;
    if (wholeFile && opened.sizeBytes > maxBytes && !input.offset) {
      return tooLarge(resolved.relative, opened.sizeBytes, maxBytes);
    }
    const range = createLineRange({ offset: input.offset ?? 0, limit: input.limit ?? Infinity, maxBytes });
    const hash = createHash('sha256');
    const add = (chunk: Uint8Array): void => {
      hash.update(chunk);
      range.add(chunk);
    };
    const problem = await feed(opened.handle, add, context.signal);
    if (problem !== undefined) return failure(`read_file: ${resolved.relative} ${problem(opened.sizeBytes)}`);
    const output = describe(range, resolved.relative, maxBytes);
    return output.isError
      ? output
      : unlessShown(output, { ...resolved, digest: hash.digest('hex'), span: range.result() }, context);
  } finally {
    await opened.handle.close();
  }
}

type Problem = (sizeBytes: number) => string;

async function feed(
  handle: FileHandle,
  add: (chunk: Uint8Array) => void,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let first = true; ; first = false) {
    if (signal.aborted) return () => 'was not read: interrupted';
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return undefined;
    const chunk = buffer.subarray(0, bytesRead);
    if (first && isBinary(chunk)) return (sizeBytes) => `is a binary file (${sizeBytes} bytes); inspect it with bash`;
    add(chunk);
  }
}

/** Looks at the beginning of a file for a NUL. */
export function isBinary(start: Uint8Array): boolean {
  return start.subarray(0, BINARY_PROBE_BYTES).includes(0);
}

function describe(range: LineRange, path: string, maxBytes: number): ToolOutput {
  const { text, lines, totalLines, moreLines, startLine, overflow } = range.result();
  if (overflow)
    return failure(`read_file: these lines of ${path} exceed ${maxBytes} bytes; ask for fewer, or use bash`);
  const details = { path, lines, totalLines };
  if (totalLines === 0) return success('(empty file)', details);
  if (startLine >= totalLines)
    return failure(`read_file: "offset" is ${startLine}, but ${path} has ${totalLines} lines`);
  if (moreLines === 0) return success(text, details);
  return success(`${text}${text.endsWith('\n') ? '' : '\n'}(${moreLines} more lines)`, details);
}

interface Shown {
  readonly path: string;
  readonly relative: string;
  readonly digest: string;
  readonly span: LineSpan;
}

/** Notes what the model gets to see; a text that stands verbatim in its view already is not said again. */
function unlessShown(output: ToolOutput, shown: Shown, context: ToolContext): ToolOutput {
  const { files, callId, signal } = context;
  // After an interrupt the result of this call may be another one.
  if (files === undefined || signal.aborted) return output;
  const { path, relative, digest, span } = shown;
  const stub = unchangedStub(relative, span);
  if (stub.length < output.text.length && files.isShown(path, digest, span))
    return success(stub, { ...output.details, isUnchanged: true });
  const { startLine, lines, totalLines } = span;
  files.noteRead(path, { digest, startLine, lines, totalLines, ...(callId === undefined ? {} : { callId }) });
  return output;
}

function tooLarge(path: string, sizeBytes: number, maxBytes: number): ToolOutput {
  return failure(
    `read_file: ${path} has ${sizeBytes} bytes; one call returns at most ${maxBytes}. Read a part with "offset" and "limit", or use bash`,
  );
}
