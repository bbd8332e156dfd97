/** The JSON Schema of the settings file, made from the table; the checked-in copy is compared with it by a test. */
import { type Definition, DEFINITIONS, type IntegerDefinition } from './definitions.ts';

function integerSchema({ about: description, minimum, maximum, default: value }: IntegerDefinition): object {
  const integer = { type: 'integer', minimum, maximum };
  if (value === 'auto') return { description, anyOf: [integer, { const: 'auto' }], default: value };
  return { description, ...integer, default: value };
}

function schemaOf(definition: Definition): object {
  const { about: description } = definition;
  switch (definition.kind) {
    case 'choice':
      return { description, enum: definition.choices, default: definition.default };
    case 'integer':
      return integerSchema(definition);
    case 'text':
      return {
        description,
        type: 'string',
        minLength: 1,
        ...(definition.default === '' ? {} : { default: definition.default }),
      };
    case 'object':
      return { description, type: 'object', default: definition.default };
    case 'list':
      return { description, type: 'array', items: { type: 'string', minLength: 1 }, default: definition.default };
  }
}

export function settingsSchema(): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Holdover settings',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      ...Object.fromEntries(DEFINITIONS.map((definition) => [definition.key, schemaOf(definition)])),
    },
  };
}
