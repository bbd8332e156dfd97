/** `holdover config`: each effective value, and where it came from. */
import { constantsOf, windowOf } from '@holdover/engine';
import { POLICIES } from '../settings/policies.ts';
import { DEFINITIONS } from '../settings/definitions.ts';
import { type LoadedSettings, rangeOf } from '../settings/load.ts';
import { settingsSchema } from '../settings/schema.ts';

export interface ConfigOptions {
  readonly json: boolean;
  readonly schema: boolean;
  readonly write: (text: string) => void;
}

/** The policy's constants as they hold in the window that is set. */
function constants({ settings }: LoadedSettings): ReturnType<typeof constantsOf> {
  const policy = POLICIES[settings.policy];
  return constantsOf(policy, windowOf(settings, policy.window));
}

export function config(loaded: LoadedSettings, { json, schema, write }: ConfigOptions): void {
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
    const shown = Array.isArray(value) ? JSON.stringify(value) : String(value);
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
