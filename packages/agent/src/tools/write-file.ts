/** `write_file`: creates or replaces one file inside the workspace. */
import * as v from 'valibot';
import { writeConfined } from '../workspace/confined-files.ts';
import { defineTool, objectSchema, requiredText } from './define-tool.ts';
import { fileFailure } from './file-errors.ts';
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
    description: 'Write a text file, replacing what is there. Missing folders are created.',
    inputSchema,
    schema,
    access: ({ path }) => [{ kind: 'write', path }],
    run: writeFile,
  });
}

async function writeFile({ path, content }: WriteInput, context: ToolContext): Promise<ToolOutput> {
  const { workspace, signal } = context;
  if (signal.aborted) return failure('write_file: interrupted, nothing was written');
  const resolved = workspace.resolve(path, 'write');
  if (!resolved.ok) return failure(`write_file: ${resolved.reason}`);
  if (path.endsWith('/')) return fileFailure({ tool: 'write_file', path: resolved.relative, code: 'EISDIR' });
  const written = await writeConfined({ root: workspace.root, path: resolved.path, text: content });
  if (!written.ok) return fileFailure({ tool: 'write_file', path: resolved.relative, code: written.code });
  const { bytes, created } = written;
  return success(`${created ? 'created' : 'replaced'} ${resolved.relative} (${content.length} characters written)`, {
    path: resolved.relative,
    bytes,
    created,
  });
}
