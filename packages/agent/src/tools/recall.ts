/** `recall`: gets back what left the context; the engine's tool, in this harness's shape. */
import { type RecallPort, recallTool } from '@holdover/engine';
import type { Tool } from './tool.ts';

export function createRecallTool(port: RecallPort): Tool {
  const { name, description, inputSchema, run } = recallTool(port);
  return { name, description, inputSchema, access: () => [{ kind: 'none' }], run: (input) => run(input) };
}
