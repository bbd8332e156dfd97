/** The first gate: commands no rule and no answer can allow. A seat belt against accidents, not a sandbox. */
import { splitShell, unquoted } from './shell-parts.ts';

/**
 * Substrings; looked for in the command as written (runs of space made one) and without its quotes. They are
 * crude on purpose: `rm -rf /tmp/x` contains the first and is refused too.
 */
export const DEFAULT_DENY_LIST: readonly string[] = [
  'rm -rf /',
  'sudo',
  'shutdown',
  'reboot',
  'mkfs',
  'dd if=',
  '> /dev/sda',
];

/** Other spellings of wiping the disk or the home folder: `rm -fr /`, `rm -r -f ~`, `rm --recursive $HOME/*`. */
const WIPED_TARGET = /^(?:\/|~|\$HOME|\$\{HOME\})\/*\*?$/;
const RECURSIVE_OPTION = /^(?:-[a-zA-Z]*[rR][a-zA-Z]*|--recursive)$/;

/** The entry that forbids the command, if any. */
export function deniedBy(command: string, denyList: readonly string[]): string | undefined {
  const forms = [command.replace(/\s+/g, ' '), unquoted(command)];
  const entry = denyList.find((text) => forms.some((form) => form.includes(text) || form.includes(tight(text))));
  if (entry !== undefined) return entry;
  const wipes = splitShell(command).parts.some(({ plain }) => wipesEverything(plain.split(' ')));
  return wipes ? 'rm of / or the home folder' : undefined;
}

/** `>/dev/sda` is `> /dev/sda`. */
function tight(entry: string): string {
  return entry.startsWith('> ') ? `>${entry.slice(2)}` : entry;
}

function wipesEverything(words: readonly string[]): boolean {
  const start = words.findIndex((word) => word === 'rm' || word.endsWith('/rm'));
  if (start === -1) return false;
  const rest = words.slice(start + 1);
  return rest.some((word) => RECURSIVE_OPTION.test(word)) && rest.some((word) => WIPED_TARGET.test(word));
}
