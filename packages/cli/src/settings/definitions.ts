/** Every setting, once: name, range, default, environment variable, flag. The schema, the loader and `holdover config` read this table. */

export type SettingValue = string | number | readonly string[] | Readonly<Record<string, unknown>>;

interface DefinitionBase {
  readonly key: string;
  /** Absent for what only the file can hold. */
  readonly env?: string;
  /** As commander wants it; absent for what only the file can hold. */
  readonly flag?: string;
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
  /** `auto` is then allowed too. */
  readonly default: number | 'auto';
}

/** An empty default stands for: not set. */
export interface TextDefinition extends DefinitionBase {
  readonly kind: 'text';
  readonly default: string;
}

export interface ListDefinition extends DefinitionBase {
  readonly kind: 'list';
  readonly default: readonly string[];
}

/** Its content is checked by whoever it is for. */
export interface ObjectDefinition extends DefinitionBase {
  readonly kind: 'object';
  readonly default: Readonly<Record<string, unknown>>;
}

export type Definition = ChoiceDefinition | IntegerDefinition | TextDefinition | ListDefinition | ObjectDefinition;

export interface Settings {
  readonly policy: 'classic' | 'economic' | 'economic:frugal' | 'economic:generous';
  readonly provider: 'auto' | 'anthropic' | 'openai' | 'builtin';
  readonly baseUrl: string;
  readonly model: string;
  readonly fallbackModel: string;
  readonly windowTokens: number | 'auto';
  readonly archive: 'fs' | 'sqlite';
  readonly redact: 'exits' | 'arrival';
  readonly maxOutputTokens: number;
  readonly thinkingTokens: number;
  readonly maxRounds: number;
  readonly format: 'anthropic' | 'openai-chat';
  readonly outputFormat: 'text' | 'json' | 'stream-json';
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly hooks: Readonly<Record<string, unknown>>;
  readonly mcpServers: Readonly<Record<string, unknown>>;
}

export const DEFINITIONS: readonly (Definition & { readonly key: keyof Settings })[] = [
  {
    key: 'policy',
    kind: 'choice',
    choices: ['classic', 'economic', 'economic:frugal', 'economic:generous'],
    default: 'classic',
    env: 'HOLDOVER_POLICY',
    flag: '--policy <name>',
    about: 'when and how the context is compacted',
  },
  {
    key: 'provider',
    kind: 'choice',
    choices: ['auto', 'anthropic', 'openai', 'builtin'],
    default: 'auto',
    env: 'HOLDOVER_PROVIDER',
    flag: '--provider <name>',
    about: 'who runs the model; auto goes by base URL and keys, and takes the built-in model where there are none',
  },
  {
    key: 'baseUrl',
    kind: 'text',
    default: '',
    env: 'HOLDOVER_BASE_URL',
    flag: '--base-url <url>',
    about: 'where an OpenAI-compatible server listens, such as http://localhost:11434/v1',
  },
  {
    key: 'model',
    kind: 'text',
    default: 'auto',
    env: 'HOLDOVER_MODEL',
    flag: '--model <id>',
    about: "model id sent with each request; auto is the provider's default",
  },
  {
    key: 'fallbackModel',
    kind: 'text',
    default: '',
    env: 'HOLDOVER_FALLBACK_MODEL',
    flag: '--fallback-model <id>',
    about: 'model for the rest of a prompt when the first is overloaded again and again',
  },
  {
    key: 'windowTokens',
    kind: 'integer',
    minimum: 4_000,
    maximum: 2_000_000,
    default: 'auto',
    env: 'HOLDOVER_WINDOW',
    flag: '--window <tokens>',
    about: "the model's context window, tokens; auto asks the server or takes what is known of the model",
  },
  {
    key: 'archive',
    kind: 'choice',
    choices: ['fs', 'sqlite'],
    default: 'fs',
    env: 'HOLDOVER_ARCHIVE',
    flag: '--archive <kind>',
    about:
      'where texts that leave the context are kept: as files, or in a SQLite file, which needs the package libsql beside holdover',
  },
  {
    key: 'redact',
    kind: 'choice',
    choices: ['exits', 'arrival'],
    default: 'exits',
    env: 'HOLDOVER_REDACT',
    flag: '--redact <where>',
    about:
      'where secrets are taken out: of exports, logs and search hits, or already before they are first sent and kept',
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
    key: 'thinkingTokens',
    kind: 'integer',
    minimum: 0,
    maximum: 200_000,
    default: 0,
    env: 'HOLDOVER_THINKING',
    flag: '--thinking <tokens>',
    about: 'tokens the model may think before it answers; 0 switches thinking off',
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
    flag: '--wire-format <name>',
    about: 'wire format spoken with the built-in model',
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
    key: 'ask',
    kind: 'list',
    default: [],
    env: 'HOLDOVER_ASK',
    flag: '--ask <rule>',
    about: 'permission rule that asks each time; wins over those that allow',
  },
  {
    key: 'deny',
    kind: 'list',
    default: [],
    env: 'HOLDOVER_DENY',
    flag: '--deny <rule>',
    about: 'permission rule that forbids; wins over those that allow',
  },
  {
    key: 'hooks',
    kind: 'object',
    default: {},
    about: 'shell commands to run at points of a turn, by event',
  },
  {
    key: 'mcpServers',
    kind: 'object',
    default: {},
    about: 'MCP servers whose tools the model may use, by name',
  },
];
