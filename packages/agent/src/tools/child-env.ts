/**
 * The environment a command gets: a copy without what is named like a secret or holds one. It keeps them out of `env`, not from a command that
 * looks for them.
 */
import { redactSecrets } from '@holdover/engine';

export interface ChildEnvOptions {
  /** Names passed on although they look like secrets or hold one, exact spelling. @default [] */
  readonly allowEnv?: readonly string[];
}

export const DEFAULT_CHILD_ENV_OPTIONS: Required<ChildEnvOptions> = { allowEnv: [] };

const SECRET_NAMES: readonly RegExp[] = [
  /(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|APIKEY)$/i,
  /(^|_)(KEY|KEY_ID|KEY_BASE|PASS|AUTH|PAT|DSN|COOKIE|CONNECTION_STRING|WEBHOOK|WEBHOOK_URL)$/i,
  /_PWD$/i,
  /^(ANTHROPIC|OPENAI)_/i,
];

/** A proxy's password is needed by whatever goes through it. */
const PROXY = /(^|_)PROXY$/i;

/** As of a connection with its password. */
function holdsSecret(name: string, value: string): boolean {
  return !PROXY.test(name) && redactSecrets(value).count > 0;
}

export function childEnv(
  env: Readonly<Record<string, string>>,
  options: ChildEnvOptions = {},
): Readonly<Record<string, string>> {
  const allowed = new Set(options.allowEnv ?? DEFAULT_CHILD_ENV_OPTIONS.allowEnv);
  const isSecret = (name: string, value: string): boolean =>
    SECRET_NAMES.some((pattern) => pattern.test(name)) || holdsSecret(name, value);
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => allowed.has(name) || !isSecret(name, value)));
}
