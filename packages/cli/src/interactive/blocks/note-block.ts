/** Lines of the terminal's own: answers of commands, warnings, failures. */
import { hang, wrap } from '../text/lines.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';
import { type Block, fixedBlock } from './block.ts';

/** Lines that are drawn already; what is too long is wrapped. */
export function noteBlock(lines: readonly string[]): Block {
  return fixedBlock((columns) => lines.flatMap((line) => wrap(line, columns)));
}

/** Something that went wrong, with the reason. */
export function failureBlock(message: string, theme: Theme): Block {
  const lines = sanitise(message)
    .split('\n')
    .map((line) => theme.red(line));
  return noteBlock([`${theme.red('✗')} ${lines[0] ?? ''}`, ...lines.slice(1)]);
}

export function hintBlock(text: string, theme: Theme): Block {
  return noteBlock(
    sanitise(text)
      .split('\n')
      .map((line) => theme.dim(line)),
  );
}

/** Something worth knowing that nobody has to act on; several stand together. */
export function noticeBlock(text: string, theme: Theme): Block {
  const clean = sanitise(text).trim();
  return { isTight: true, render: (columns) => hang('! ', clean, columns).map(theme.dim) };
}
