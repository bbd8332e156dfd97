/** Every setting, once: name, range, default, environment variable, flag. The schema, the loader and `holdover config` read this table. */

export type SettingValue = string | number | readonly string[];

interface DefinitionBase {
  readonly key: string;
  readonly env: string;
  /** As commander wants it. */
  readonly flag: string;
  readonly about: string;
}

export interface ChoiceDefinition extends DefinitionBase {
  readonly kind: 'choice';
  readonly choices: readonly string[];
  readonly default: string;
}

export interface IntegerDefinition extends DefinitionBase {
  readonly kind: 'integer';
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
}

export interface TextDefinition extends DefinitionBase {
  readonly kind: 'text';
  readonly default: string;
}

export interface ListDefinition extends DefinitionBase {
  readonly kind: 'list';
  readonly default: readonly string[];
}

export type Definition = ChoiceDefinition | IntegerDefinition | TextDefinition | ListDefinition;

export interface Settings {
  readonly policy: 'classic';
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
  readonly maxRounds: number;
  readonly format: 'anthropic' | 'openai-chat';
  readonly model: string;
  readonly outputFormat: 'text' | 'json' | 'stream-json';
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export const DEFINITIONS: readonly (Definition & { readonly key: keyof Settings })[] = [
  {
    key: 'policy',
    kind: 'choice',
    choices: ['classic'],
    default: 'classic',
    env: 'HOLDOVER_POLICY',
    flag: '--policy <name>',
    about: 'when and how the context is compacted',
  },
  {
    key: 'windowTokens',
    kind: 'integer',
    minimum: 4_000,
    maximum: 2_000_000,
    default: 200_000,
    env: 'HOLDOVER_WINDOW',
    flag: '--window <tokens>',
    about: "the model's context window, tokens",
  },
  {
    key: 'maxOutputTokens',
    kind: 'integer',
    minimum: 1,
    maximum: 200_000,
    default: 8_000,
    env: 'HOLDOVER_MAX_OUTPUT',
    flag: '--max-output <tokens>',
    about: 'most tokens of one reply',
  },
  {
    key: 'maxRounds',
    kind: 'integer',
    minimum: 1,
    maximum: 10_000,
    default: 200,
    env: 'HOLDOVER_MAX_ROUNDS',
    flag: '--max-rounds <count>',
    about: 'most model calls for one prompt',
  },
  {
    key: 'format',
    kind: 'choice',
    choices: ['anthropic', 'openai-chat'],
    default: 'anthropic',
    env: 'HOLDOVER_FORMAT',
    flag: '--format <name>',
    about: 'wire format spoken with the model',
  },
  {
    key: 'model',
    kind: 'text',
    default: 'rules-1',
    env: 'HOLDOVER_MODEL',
    flag: '--model <id>',
    about: 'model id sent with each request',
  },
  {
    key: 'outputFormat',
    kind: 'choice',
    choices: ['text', 'json', 'stream-json'],
    default: 'text',
    env: 'HOLDOVER_OUTPUT_FORMAT',
    flag: '--output-format <name>',
    about: 'what -p prints: the answer, one JSON object, or one JSON event a line',
  },
  {
    key: 'allow',
    kind: 'list',
    default: [],
    env: 'HOLDOVER_ALLOW',
    flag: '--allow <rule>',
    about:
      'permission rule that allows, such as "bash(npm test*)" or "write_file(src/**)"; may be given again; in the environment one a line',
  },
  {
    key: 'deny',
    kind: 'list',
    default: [],
    env: 'HOLDOVER_DENY',
    flag: '--deny <rule>',
    about: 'permission rule that forbids; wins over those that allow',
  },
];
