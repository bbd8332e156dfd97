/** The environment a command gets: a copy without what is named like a secret. It keeps them out of `env`, not from a command that looks for them. */

export interface ChildEnvOptions {
  /** Names passed on although they look like secrets, exact spelling. @default [] */
  readonly allowEnv?: readonly string[];
}

export const DEFAULT_CHILD_ENV_OPTIONS: Required<ChildEnvOptions> = { allowEnv: [] };

const SECRET_NAMES: readonly RegExp[] = [
  /(^|_)(API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)$/i,
  /(PASSWORD|PASSPHRASE|_PASS|_PWD)$/i,
  /^(ANTHROPIC|OPENAI)_/i,
];

export function childEnv(
  env: Readonly<Record<string, string>>,
  options: ChildEnvOptions = {},
): Readonly<Record<string, string>> {
  const allowed = new Set(options.allowEnv ?? DEFAULT_CHILD_ENV_OPTIONS.allowEnv);
  const isSecret = (name: string): boolean => SECRET_NAMES.some((pattern) => pattern.test(name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => allowed.has(name) || !isSecret(name)));
}
