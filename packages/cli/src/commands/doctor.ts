/** `holdover doctor`: what is needed and how it is, with what to do about it. */
import { diagnose, type Finding } from '@holdover/agent';
import { redactSecrets } from '@holdover/engine';
import pc from 'picocolors';
import { sanitise } from '../interactive/text/sanitise.ts';
import { chosenModel } from '../model.ts';
import type { Settings } from '../settings/definitions.ts';

export interface DoctorOptions {
  readonly settings: Settings;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Asks the provider for two small replies, which it bills. */
  readonly isOnline: boolean;
  readonly json: boolean;
  readonly signal: AbortSignal;
  readonly out: (text: string) => void;
}

const MARKS: Readonly<Record<Finding['status'], string>> = {
  ok: pc.green('✓'),
  warn: pc.yellow('!'),
  fail: pc.red('✗'),
};

function harmless(finding: Finding): Finding {
  const shown = (text: string): string => sanitise(redactSecrets(text).text);
  const { detail, advice } = finding;
  return { ...finding, detail: shown(detail), ...(advice === undefined ? {} : { advice: shown(advice) }) };
}

function lineOf({ check, status, detail, advice }: Finding): string {
  const advised = advice === undefined ? '' : `\n           → ${advice}`;
  return `${MARKS[status]} ${check.padEnd(8)} ${detail}${advised}\n`;
}

/** Resolves to the exit status: 0 where nothing failed, 1 otherwise. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const { settings, folder, env, isOnline, json, signal, out } = options;
  const { windowTokens } = settings;
  const found = await diagnose({
    workspace: folder,
    choose: () => chosenModel({ settings, env }),
    ...(windowTokens === 'auto' ? {} : { windowTokens }),
    isOnline,
    signal,
  });
  // A server may say anything, the key it was sent included.
  const findings = found.map(harmless);
  if (json) out(`${JSON.stringify(findings, null, 2)}\n`);
  else for (const finding of findings) out(lineOf(finding));
  if (!json && !isOnline && findings.some(({ check }) => check === 'window'))
    out('The prompt cache was not tried: --online does, with two requests of about 5,000 tokens, which are billed.\n');
  return findings.some(({ status }) => status === 'fail') ? 1 : 0;
}
