/** `write_file`: creates or replaces one file inside the workspace. */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { fileDigest, type FileState } from '../file-state/file-state.ts';
import { openConfined, writeConfined, type WriteRequest } from '../workspace/confined-files.ts';
import { defineTool, objectSchema, requiredText } from './define-tool.ts';
import { changedFailure, fileFailure } from './file-errors.ts';
import { failure, success, type Tool, type ToolContext, type ToolOutput } from './tool.ts';

const inputSchema = objectSchema(
  {
    path: { type: 'string', description: 'File path, relative to the workspace root.' },
    content: { type: 'string', description: 'The whole new text of the file.' },
  },
  ['path', 'content'],
);

const schema = v.object({ path: requiredText(), content: v.string('a string') });

type WriteInput = v.InferOutput<typeof schema>;

export function createWriteFileTool(): Tool {
  return defineTool({
    name: 'write_file',
    description:
      'Write a text file, replacing what is there; read an existing file before you replace it. Missing folders are created.',
    inputSchema,
    schema,
    access: ({ path }) => [{ kind: 'write', path }],
    run: writeFile,
  });
}

async function writeFile({ path, content }: WriteInput, context: ToolContext): Promise<ToolOutput> {
  const { workspace, signal, files } = context;
  if (signal.aborted) return failure('write_file: interrupted, nothing was written');
  const resolved = workspace.resolve(path, 'write');
  if (!resolved.ok) return failure(`write_file: ${resolved.reason}`);
  const { relative } = resolved;
  if (path.endsWith('/')) return fileFailure({ tool: 'write_file', path: relative, code: 'EISDIR' });
  const digest = fileDigest(content);
  const existing = files === undefined ? undefined : await existingFile(resolved.path);
  if (existing?.ok === false) return fileFailure({ tool: 'write_file', path: relative, code: existing.code });
  const refusal = existing?.digest === digest ? undefined : refusalOf(existing, relative, files);
  if (refusal !== undefined) return refusal;
  return write({ root: workspace.root, path: resolved.path, text: content, ...unchanged(existing) }, relative, context);
}

function unchanged(existing: Existing | undefined): Pick<WriteRequest, 'unlessModifiedSinceMs'> {
  return existing === undefined ? {} : { unlessModifiedSinceMs: existing.modifiedMs };
}

async function write(request: WriteRequest, relative: string, { files }: ToolContext): Promise<ToolOutput> {
  const written = await writeConfined(request);
  if (!written.ok) return fileFailure({ tool: 'write_file', path: relative, code: written.code });
  files?.noteWritten(request.path, fileDigest(request.text));
  const { bytes, created } = written;
  const done = `${created ? 'created' : 'replaced'} ${relative} (${request.text.length} characters written)`;
  return success(done, { path: relative, bytes, created });
}

interface Existing {
  readonly ok: true;
  readonly path: string;
  readonly digest: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** The file as it is now; undefined where there is none. */
async function existingFile(
  path: string,
): Promise<Existing | { readonly ok: false; readonly code: string } | undefined> {
  const opened = await openConfined(path);
  if (!opened.ok) return opened.code === 'ENOENT' ? undefined : opened;
  const { handle, sizeBytes, modifiedMs } = opened;
  try {
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Uint8Array);
    return { ok: true, path, digest: hash.digest('hex'), sizeBytes, modifiedMs };
  } finally {
    await handle.close();
  }
}

/**
 * Replacing destroys what was there, so the model must know all of it. Stricter than `edit_file`, whose `old_text` is evidence of what
 * the model knows: there, a file it never read may be edited.
 */
function refusalOf(
  existing: Existing | undefined,
  relative: string,
  files: FileState | undefined,
): ToolOutput | undefined {
  if (existing === undefined || files === undefined) return undefined;
  const { path, digest, sizeBytes } = existing;
  if (sizeBytes === 0 || files.hasSeenAll(path, digest)) return undefined;
  const refuse = (what: string): ToolOutput => failure(`write_file: ${relative} ${what}`, { code: 'EUNSEEN' });
  switch (files.standing(path, digest)) {
    case 'changed':
      return changedFailure('write_file', relative);
    case 'never':
      return refuse(
        'exists, and you have not read it; nothing was changed. Read it first, or change it with edit_file',
      );
    case 'same':
      return refuse(
        'exists, and you have read only a part of it; nothing was changed. Read the rest first, or use edit_file',
      );
    case 'unknown':
      return refuse('exists, and what you knew of it cannot be checked any more; nothing was changed. Read it again');
  }
}
