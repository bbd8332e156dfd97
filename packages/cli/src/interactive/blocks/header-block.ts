/** The first lines: what this is, where it works, who answers. */
import { homedir } from 'node:os';
import { clip, hang } from '../text/lines.ts';
import { sanitiseLine } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';
import type { Block } from './block.ts';

export interface HeaderBlock extends Block {
  setAbout(about: string): void;
}

function shownFolder(folder: string): string {
  const home = homedir();
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}

export function headerBlock(folder: string, theme: Theme): HeaderBlock {
  let about = '';
  return {
    setAbout(text) {
      about = text;
    },
    render(columns) {
      const where = sanitiseLine(shownFolder(folder));
      const first = `${theme.magenta('◆')} ${theme.bold('Holdover')} ${theme.dim(`in ${where}`)}`;
      const who = about === '' ? '' : `${sanitiseLine(about)} · `;
      return [clip(first, columns), ...hang('  ', theme.dim(`${who}/help for commands and keys`), columns)];
    },
  };
}
