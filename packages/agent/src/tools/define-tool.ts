/** Builds a tool from a valibot schema, so that `access` and `run` read the same checked input. */
import * as v from 'valibot';
import { AgentError } from '../errors.ts';
import { cutEnd } from './cut-text.ts';
import { type Access, failure, type JsonSchema, type Tool, type ToolContext, type ToolOutput } from './tool.ts';

export interface ToolDefinition<Schema extends v.GenericSchema> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Its messages say what is allowed, e.g. `an integer of at least 1`. */
  readonly schema: Schema;
  /** See `Tool`. @default false */
  readonly isConcurrent?: boolean;
  readonly access: (input: v.InferOutput<Schema>) => readonly Access[];
  readonly run: (input: v.InferOutput<Schema>, context: ToolContext) => Promise<ToolOutput>;
}

/** A value quoted in an error text is cut to this; the model knows what it sent. */
const SHOWN_VALUE_CHARS = 80;
const NOTHING: readonly Access[] = [{ kind: 'none' }];

/** @throws AgentError `invalid_option` for a definition with a member missing */
export function defineTool<const Schema extends v.GenericSchema>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, inputSchema, schema, isConcurrent = false } = definition;
  assertWhole(definition);
  return {
    name,
    description,
    inputSchema,
    ...(isConcurrent ? { isConcurrent } : {}),
    access(input) {
      const parsed = v.safeParse(schema, input);
      return parsed.success ? definition.access(parsed.output) : NOTHING;
    },
    async run(input, context) {
      const parsed = v.safeParse(schema, input, { abortPipeEarly: true });
      if (!parsed.success) return failure(describeIssue(definition, parsed.issues[0]));
      try {
        return await definition.run(parsed.output, context);
      } catch (error) {
        // a bug or a failing disk: the model is told, the session goes on
        return failure(`${name} failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
}

/** TypeScript says so at once; JavaScript would find out when the model first calls it. */
function assertWhole(definition: object): void {
  const missing = ['name', 'description', 'inputSchema', 'schema', 'access', 'run'].find(
    (field) => (definition as Record<string, unknown>)[field] === undefined,
  );
  if (missing === undefined) return;
  throw new AgentError(
    'invalid_option',
    `a tool needs "${missing}": what the model is told is inputSchema (JSON Schema), what is checked is schema (valibot), what is asked about is access`,
  );
}

/** A JSON Schema object with these properties; the ones in `required` must be given. */
export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema {
  return { type: 'object', properties, required };
}

/** A non-empty string without NUL, which no system call could take. */
export function requiredText(): v.GenericSchema<unknown, string> {
  const allowed = 'a non-empty string without NUL characters';
  return v.pipe(
    v.string(allowed),
    v.minLength(1, allowed),
    v.check((text) => !text.includes('\0'), allowed),
  );
}

export function integerFrom(minimum: number): v.GenericSchema<unknown, number> {
  const allowed = `an integer of at least ${minimum}`;
  return v.pipe(v.number(allowed), v.safeInteger(allowed), v.minValue(minimum, allowed));
}

function describeIssue(definition: { name: string; inputSchema: JsonSchema }, issue: v.BaseIssue<unknown>): string {
  const { name, inputSchema } = definition;
  const field = v.getDotPath(issue);
  if (field === null) return `${name}: the input must be an object with named fields; got ${shown(issue.input)}`;
  if (issue.kind === 'schema' && issue.type === 'object' && issue.input === undefined) {
    return `${name}: "${field}" is missing; it must be ${typeOf(inputSchema, field)}`;
  }
  return `${name}: "${field}" must be ${issue.message}; got ${shown(issue.input)}`;
}

function typeOf(inputSchema: JsonSchema, field: string): string {
  const properties = inputSchema['properties'] as Readonly<Record<string, JsonSchema>>;
  return `given (type: ${String(properties[field]?.['type'] ?? 'string')})`;
}

function shown(value: unknown): string {
  return cutEnd(JSON.stringify(value) ?? String(value), SHOWN_VALUE_CHARS);
}
