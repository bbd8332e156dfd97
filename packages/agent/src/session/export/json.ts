/** A session as JSON: a documented shape with a version of its own, independent of wire formats and of the log. */
import type { Outline } from './outline.ts';

/** Raised when a member changes its meaning or goes; new members do not raise it. */
export const EXPORT_VERSION = 1;

export function exportJson(outline: Outline): string {
  return `${JSON.stringify({ format: 'holdover-session', v: EXPORT_VERSION, ...outline }, null, 2)}\n`;
}

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const flag = { type: 'boolean' } as const;

function shape(properties: Readonly<Record<string, object>>, optional: readonly string[] = []): object {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  };
}

function list(items: object): object {
  return { type: 'array', items };
}

const part = {
  oneOf: [
    shape({ kind: { enum: ['text', 'reasoning'] }, text }),
    shape({ kind: { const: 'call' }, id: text, name: text, input: {} }, ['input']),
    shape({ kind: { const: 'result' }, callId: text, text, isError: flag, mediaCount: count }),
    shape({ kind: { enum: ['media', 'other'] }, name: text }),
  ],
};

const edit = shape(
  {
    layer: text,
    replaced: shape({ from: count, to: count, part: count }, ['part']),
    addresses: list(text),
    text,
  },
  ['text'],
);

/** JSON Schema (2020-12) of an exported session. */
export const SESSION_EXPORT_SCHEMA: Readonly<Record<string, unknown>> = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A Holdover session',
  ...shape(
    {
      format: { const: 'holdover-session' },
      v: { const: EXPORT_VERSION },
      id: text,
      title: text,
      createdAt: text,
      provider: text,
      model: text,
      forkedFrom: text,
      messages: list(
        shape({ index: count, role: { enum: ['user', 'assistant', 'host', 'unreadable'] }, parts: list(part) }),
      ),
      compactions: list(shape({ epoch: count, at: count, cause: text, isInForce: flag, edits: list(edit) })),
      todos: list(shape({ content: text, status: { enum: ['pending', 'in_progress', 'completed'] } })),
      damage: list(text),
    },
    ['forkedFrom'],
  ),
};
