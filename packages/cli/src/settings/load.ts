/** Settings from a file, then the environment, then flags; each value remembers where it came from, and a bad one is refused by name. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { parseHookSettings, parseMcpServers, parseRules } from '@holdover/agent';
import { CliError } from '../errors.ts';
import {
  type Definition,
  DEFINITIONS,
  type IntegerDefinition,
  type Settings,
  type SettingValue,
} from './definitions.ts';

export interface Effective {
  readonly key: keyof Settings;
  readonly value: SettingValue;
  /** `default`, the path of the file, the variable or the flag. */
  readonly source: string;
}

export interface SettingsInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of flags by key, as commander gives them. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** A file named on the command line; it has to exist. */
  readonly file?: string | undefined;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly effective: readonly Effective[];
  /** The file that is read, whether it exists or not. */
  readonly file: string;
}

/** The user's own file. A project's folder is never read for settings: a stranger's repository must not grant permissions. */
export function defaultSettingsFile(env: SettingsInput['env']): string {
  const base = env['XDG_CONFIG_HOME'];
  return join(base !== undefined && isAbsolute(base) ? base : join(homedir(), '.config'), 'holdover', 'settings.json');
}

/** What a value has to be, for messages and documentation. */
export function rangeOf(definition: Definition): string {
  switch (definition.kind) {
    case 'choice':
      return `one of ${definition.choices.join(', ')}`;
    case 'integer':
      return `a whole number from ${definition.minimum} to ${definition.maximum}${definition.default === 'auto' ? ', or auto' : ''}`;
    case 'text':
      return 'a text that is not empty';
    case 'list':
      return 'a list of texts';
    case 'object':
      return 'a JSON object in the settings file';
  }
}

function refuse(definition: Definition, value: unknown, source: string): CliError {
  return new CliError(
    'bad_setting',
    `${definition.key} is ${JSON.stringify(value)} (${source}); allowed: ${rangeOf(definition)}`,
  );
}

function integerOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : undefined;
}

function listOf(raw: unknown): readonly string[] | undefined {
  const list: unknown = typeof raw === 'string' ? raw.split('\n').filter((line) => line.trim() !== '') : raw;
  return Array.isArray(list) && list.every((item) => typeof item === 'string' && item.trim() !== '') ? list : undefined;
}

function textOf(raw: unknown): string | undefined {
  return typeof raw === 'string' && raw.trim() !== '' ? raw : undefined;
}

function objectOf(raw: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? (raw as Record<string, unknown>) : undefined;
}

function inRange(value: number | undefined, { minimum, maximum }: IntegerDefinition): number | undefined {
  return Number.isInteger(value) && value !== undefined && value >= minimum && value <= maximum ? value : undefined;
}

function valueOf(definition: Definition, raw: unknown): SettingValue | undefined {
  switch (definition.kind) {
    case 'choice':
      return definition.choices.find((choice) => choice === raw);
    case 'text':
      return textOf(raw);
    case 'integer':
      return definition.default === 'auto' && raw === 'auto' ? 'auto' : inRange(integerOf(raw), definition);
    case 'list':
      return listOf(raw);
    case 'object':
      return objectOf(raw);
  }
}

/** The value of a setting out of whatever its source gave; throws `bad_setting`. */
function parse(definition: Definition, raw: unknown, source: string): SettingValue {
  const value = valueOf(definition, raw);
  if (value === undefined) throw refuse(definition, raw, source);
  return value;
}

function readFile(path: string, isNamed: boolean): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!isNamed && (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CliError('bad_settings_file', `${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new CliError('bad_settings_file', `${path} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  throw new CliError('bad_settings_file', `${path} does not hold a JSON object`);
}

function assertKnown(values: Readonly<Record<string, unknown>>, path: string): void {
  const known = new Set<string>(['$schema', ...DEFINITIONS.map(({ key }) => key)]);
  const unknown = Object.keys(values).find((key) => !known.has(key));
  if (unknown === undefined) return;
  throw new CliError(
    'bad_setting',
    `${path} sets ${JSON.stringify(unknown)}, which is no setting; there are ${[...known].slice(1).join(', ')}`,
  );
}

/** A rule that cannot be read is refused here, not when it is first needed. */
function assertRules({ allow, ask, deny }: Settings, effective: readonly Effective[]): void {
  try {
    parseRules({ allow, ask, deny });
  } catch (error) {
    const keys: readonly string[] = ['allow', 'ask', 'deny'];
    const given = effective.filter(({ key, source }) => keys.includes(key) && source !== 'default');
    const sources = given.map(({ source }) => source);
    throw new CliError('bad_setting', `${(error as Error).message} (from ${[...new Set(sources)].join(', ')})`, {
      cause: error,
    });
  }
}

/** What only the file can hold is checked by whoever it is for, before anything is started. */
function assertObjects({ hooks, mcpServers }: Settings, path: string): void {
  const [problem] = parseMcpServers(mcpServers).problems;
  if (problem !== undefined) throw new CliError('bad_setting', `${problem} (${path})`);
  try {
    parseHookSettings(hooks);
  } catch (error) {
    throw new CliError('bad_setting', `${(error as Error).message} (${path})`, { cause: error });
  }
}

export function loadSettings({ env, flags, file }: SettingsInput): LoadedSettings {
  const path = file ?? defaultSettingsFile(env);
  const stored = readFile(path, file !== undefined);
  assertKnown(stored, path);
  const effective = DEFINITIONS.map((definition): Effective => {
    const { key } = definition;
    const flag = definition.flag?.split(' ')[0] ?? '';
    const variable = definition.env ?? '';
    const sources: readonly (readonly [unknown, string])[] = [
      [flag === '' ? undefined : flags[key], flag],
      [variable === '' || env[variable] === '' ? undefined : env[variable], variable],
      [stored[key], path],
    ];
    const given = sources.find(([value]) => value !== undefined);
    if (given === undefined) return { key, value: definition.default, source: 'default' };
    return { key, value: parse(definition, given[0], given[1]), source: given[1] };
  });
  const settings = Object.fromEntries(effective.map(({ key, value }) => [key, value])) as unknown as Settings;
  assertRules(settings, effective);
  assertObjects(settings, path);
  return { settings, effective, file: path };
}
