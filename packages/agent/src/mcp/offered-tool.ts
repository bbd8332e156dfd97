/** What a server offers, made fit for a request: one tool a provider refuses would spoil every request of the session. */
import type { Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import type { JsonSchema } from '../tools/tool.ts';

export type OfferedTool =
  | { readonly ok: true; readonly description: string; readonly inputSchema: JsonSchema; readonly isReadOnly: boolean }
  | { readonly ok: false; readonly reason: string };

/** Characters of a description: Claude Code's documented cap for those of MCP servers. */
const MAX_DESCRIPTION_CHARS = 2_048;
/** A schema is sent with every request. */
const MAX_SCHEMA_CHARS = 20_000;
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Alternatives at the top of a schema are refused by one of the wire formats; inside of it they are fine. */
const KEPT_KEYS: readonly string[] = ['properties', 'required', 'additionalProperties', '$defs', 'definitions'];
const UNSEEN = /[\p{Cf}\p{Cs}]|(?![\n\t])\p{Cc}/gu;

export function offeredTool(tool: McpTool, server: string): OfferedTool {
  const given = tool.inputSchema as Readonly<Record<string, unknown>>;
  const kept = Object.fromEntries(KEPT_KEYS.flatMap((key) => (key in given ? [[key, given[key]]] : [])));
  const inputSchema: JsonSchema = { type: 'object', properties: {}, ...kept };
  const sizeChars = charsOf(inputSchema);
  if (sizeChars === undefined) return { ok: false, reason: 'its schema nests too deeply' };
  if (sizeChars > MAX_SCHEMA_CHARS)
    return { ok: false, reason: `its schema has ${sizeChars} characters; at most ${MAX_SCHEMA_CHARS} are allowed` };
  const bad = Object.keys(inputSchema['properties'] as object).find((name) => !PROPERTY_NAME.test(name));
  if (bad !== undefined)
    return { ok: false, reason: `its parameter ${JSON.stringify(bad.slice(0, 80))} has a name that providers refuse` };
  const told = (tool.description ?? '').replace(UNSEEN, '').trim();
  const description = told === '' ? `The tool ${JSON.stringify(tool.name)} of the MCP server ${server}.` : cut(told);
  return { ok: true, description, inputSchema, isReadOnly: tool.annotations?.readOnlyHint === true };
}

/** Undefined where it nests so deeply that nothing can write it: one such tool would keep the whole agent from starting. */
function charsOf(schema: JsonSchema): number | undefined {
  try {
    return JSON.stringify(schema).length;
  } catch {
    return undefined;
  }
}

function cut(text: string): string {
  return text.length <= MAX_DESCRIPTION_CHARS ? text : `${text.slice(0, MAX_DESCRIPTION_CHARS - 1).toWellFormed()}…`;
}
