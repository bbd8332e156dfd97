/** `holdover config`: each effective value, and where it came from. */
import { constantsOf, redactSecrets, windowOf } from '@holdover/engine';
import { POLICIES } from '../settings/policies.ts';
import { DEFINITIONS, type SettingValue } from '../settings/definitions.ts';
import { type LoadedSettings, rangeOf } from '../settings/load.ts';
import { settingsSchema } from '../settings/schema.ts';

/** Shown where the window is only known once the model is. */
const ASSUMED_WINDOW_TOKENS = 200_000;

/** Members of a server's settings that hold secrets, whatever they look like. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set(['env', 'headers']);
/** The name of a variable is none. */
const REFERENCE = /^[A-Za-z ]*\$\{\w+\}$/;

function hidden(values: object): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, REFERENCE.test(String(value)) ? value : '(hidden)']),
  );
}

/** A setting as it may be printed: this output is what people paste where they ask for help. */
function printable<Value>(value: Value): Value {
  const member = ([name, inner]: readonly [string, unknown]): readonly [string, unknown] => {
    const isSecret = SECRET_MEMBERS.has(name) && typeof inner === 'object' && inner !== null;
    return [name, isSecret ? hidden(inner) : printable(inner)];
  };
  if (typeof value === 'string') return redactSecrets(value).text as Value;
  if (Array.isArray(value)) return value.map((item: unknown) => printable(item)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(member)) as Value;
}

function shownValue(value: SettingValue): string {
  if (value === '') return '(not set)';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export interface ConfigOptions {
  readonly json: boolean;
  readonly schema: boolean;
  readonly write: (text: string) => void;
}

/** The policy's constants as they hold in the window that is set. */
function constants({ settings }: LoadedSettings): ReturnType<typeof constantsOf> {
  const policy = POLICIES[settings.policy];
  const { windowTokens, maxOutputTokens } = settings;
  const assumed = windowTokens === 'auto' ? ASSUMED_WINDOW_TOKENS : windowTokens;
  return constantsOf(policy, windowOf({ windowTokens: assumed, maxOutputTokens }, policy.window));
}

export function config(given: LoadedSettings, { json, schema, write }: ConfigOptions): void {
  const loaded = { ...given, effective: given.effective.map((one) => ({ ...one, value: printable(one.value) })) };
  if (schema) {
    write(`${JSON.stringify(settingsSchema(), null, 2)}\n`);
    return;
  }
  if (json) {
    write(
      `${JSON.stringify({ file: loaded.file, settings: loaded.effective, constants: constants(loaded) }, null, 2)}\n`,
    );
    return;
  }
  const lines = loaded.effective.map(({ key, value, source }) => {
    const definition = DEFINITIONS.find((candidate) => candidate.key === key);
    const shown = shownValue(value);
    return `${key.padEnd(16)} ${shown.padEnd(12)} from ${source}${definition === undefined ? '' : `   (${rangeOf(definition)})`}`;
  });
  const scaled = Object.entries(constants(loaded)).map(([layer, values]) => {
    const shown = Object.entries(values).map(([name, value]) => `${name} ${value}`);
    return `  ${layer.padEnd(8)} ${shown.join(', ')}`;
  });
  write(
    `settings file ${loaded.file}\n${lines.join('\n')}\n\npolicy ${loaded.settings.policy} in this window\n${scaled.join('\n')}\n`,
  );
}
