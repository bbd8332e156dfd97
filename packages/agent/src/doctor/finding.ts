/** What a check of `diagnose` found. */

export type CheckName = 'node' | 'folder' | 'disk' | 'sessions' | 'key' | 'server' | 'model' | 'window' | 'cache';

export interface Finding {
  readonly check: CheckName;
  readonly status: 'ok' | 'warn' | 'fail';
  /** One line for people. Holds no key. */
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

export function ok(check: CheckName, detail: string): Finding {
  return { check, status: 'ok', detail };
}

export function warn(check: CheckName, detail: string, advice: string): Finding {
  return { check, status: 'warn', detail, advice };
}

export function fail(check: CheckName, detail: string, advice: string): Finding {
  return { check, status: 'fail', detail, advice };
}
