/** `edit_file`: replaces the first exact occurrence of a text in one file. */
import * as v from 'valibot';
import { fileDigest } from '../file-state/file-state.ts';
import { openConfined, writeConfined } from '../workspace/confined-files.ts';
import { closestLine } from './closest-line.ts';
import { defineTool, objectSchema, requiredText } from './define-tool.ts';
import { changedFailure, fileFailure, missingFailure } from './file-errors.ts';
import { isBinary } from './read-file.ts';
import { replaceFirst } from './replace-first.ts';
import { failure, success, type Tool, type ToolContext, type ToolOutput } from './tool.ts';

export interface EditFileOptions {
  /** Larger files are refused. 1 or more. @default 10000000 */
  readonly maxBytes?: number;
}

export const DEFAULT_EDIT_FILE_OPTIONS: Required<EditFileOptions> = { maxBytes: 10_000_000 };

const inputSchema = objectSchema(
  {
    path: { type: 'string', description: 'File path, relative to the workspace root.' },
    old_text: { type: 'string', description: 'The text to replace, exactly as in the file, white space included.' },
    new_text: { type: 'string', description: 'The text to put in its place.' },
  },
  ['path', 'old_text', 'new_text'],
);

const schema = v.object({ path: requiredText(), old_text: requiredText(), new_text: v.string('a string') });

/** Said where a resume left nothing to compare with; `old_text` still had to match. */
const UNCHECKED = ' (whether it changed since you last saw it could not be checked)';

type EditInput = v.InferOutput<typeof schema>;

export function createEditFileTool(options: EditFileOptions = {}): Tool {
  const maxBytes = options.maxBytes ?? DEFAULT_EDIT_FILE_OPTIONS.maxBytes;
  return defineTool({
    name: 'edit_file',
    description:
      'Replace the first occurrence of "old_text" in a file by "new_text". "old_text" must match exactly; ' +
      'include enough of the surrounding lines to make it unique.',
    inputSchema,
    schema,
    access: ({ path }) => [
      { kind: 'read', path },
      { kind: 'write', path },
    ],
    run: (input, context) => editFile(input, context, maxBytes),
  });
}

async function editFile(input: EditInput, context: ToolContext, maxBytes: number): Promise<ToolOutput> {
  if (context.signal.aborted) return failure('edit_file: interrupted, nothing was changed');
  if (input.old_text === input.new_text) return failure('edit_file: "old_text" and "new_text" are the same');
  const resolved = context.workspace.resolve(input.path, 'write');
  if (!resolved.ok) return failure(`edit_file: ${resolved.reason}`);
  const file = await load(resolved.path, maxBytes);
  if (!file.ok) {
    if (file.code === 'ENOENT') return missingFailure('edit_file', resolved.path, context);
    if (file.reason !== undefined) return failure(`edit_file: ${resolved.relative} ${file.reason}`);
    return fileFailure({ tool: 'edit_file', path: resolved.relative, code: file.code });
  }
  return editLoaded(file, { input, ...resolved }, context);
}

interface Target {
  readonly input: EditInput;
  readonly path: string;
  readonly relative: string;
}

async function editLoaded(file: LoadedFile, target: Target, context: ToolContext): Promise<ToolOutput> {
  const { input, path, relative } = target;
  const standing = context.files?.standing(path, file.digest);
  if (standing === 'changed') return changedFailure('edit_file', relative);
  const edit = replaceFirst(file.text, input.old_text, input.new_text);
  if (edit === undefined) return failure(notFound(file.text, input.old_text, relative));
  const { text, line, occurrences } = edit;
  const { root } = context.workspace;
  const written = await writeConfined({ root, path, text, unlessModifiedSinceMs: file.modifiedMs });
  if (!written.ok) return fileFailure({ tool: 'edit_file', path: relative, code: written.code });
  context.files?.noteEdited(path, fileDigest(text));
  const others = occurrences > 1 ? `, the first of ${occurrences} occurrences` : '';
  const unchecked = standing === 'unknown' ? UNCHECKED : '';
  const details = { path: relative, bytes: written.bytes, line };
  return success(`edited ${relative} at line ${line}${others}${unchecked}`, details);
}

interface LoadedFile {
  readonly ok: true;
  readonly text: string;
  readonly digest: string;
  readonly modifiedMs: number;
}

type Loaded = LoadedFile | { readonly ok: false; readonly code: string; readonly reason?: string };

async function load(path: string, maxBytes: number): Promise<Loaded> {
  const opened = await openConfined(path);
  if (!opened.ok) return opened;
  try {
    const { sizeBytes, modifiedMs } = opened;
    if (sizeBytes > maxBytes) {
      return { ok: false, code: 'EFBIG', reason: `has ${sizeBytes} bytes; at most ${maxBytes} can be edited` };
    }
    const bytes = await opened.handle.readFile();
    if (isBinary(bytes)) return { ok: false, code: 'EBINARY', reason: `is a binary file (${sizeBytes} bytes)` };
    // fatal: writing back a lossy decoding would damage bytes nobody asked to change
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ok: true, text, digest: fileDigest(bytes), modifiedMs };
  } catch (error) {
    if (error instanceof TypeError) return { ok: false, code: 'EENCODING', reason: 'is not UTF-8 text' };
    throw error;
  } finally {
    await opened.handle.close();
  }
}

function notFound(text: string, oldText: string, path: string): string {
  const closest = closestLine(text, oldText);
  const start = `edit_file: "old_text" does not occur in ${path}`;
  if (closest === undefined) return start;
  const how = closest.onlyWhiteSpaceDiffers ? ', which differs in white space only' : '';
  return `${start}; the closest line is ${closest.line}${how}: ${closest.text}`;
}
