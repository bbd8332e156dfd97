/** The library's editor without its box: a mark before the first line, rules only where lines are hidden. */
import { Editor, type EditorTheme } from '@mariozechner/pi-tui/dist/components/editor.js';
import type { TUI } from '@mariozechner/pi-tui/dist/tui.js';
import type { Theme } from '../text/theme.ts';

export const PROMPT_MARK = '❯';

/** Stands before the editor's rules, so that they are told from its text, which never has a NUL. */
const RULE = '\u0000';

function editorTheme(theme: Theme): EditorTheme {
  return {
    borderColor: (text) => RULE + text,
    selectList: {
      selectedPrefix: theme.cyan,
      selectedText: (text) => theme.cyan(theme.bold(text)),
      description: theme.dim,
      scrollInfo: theme.dim,
      noMatch: theme.dim,
    },
  };
}

const INDENT = 2;

export class PromptEditor extends Editor {
  readonly #theme: Theme;

  constructor(tui: TUI, theme: Theme) {
    super(tui, editorTheme(theme), { autocompleteMaxVisible: 8 });
    this.#theme = theme;
  }

  override render(width: number): string[] {
    const lines = super.render(Math.max(1, width - INDENT));
    const shown: string[] = [];
    let isFirst = true;
    for (const line of lines) {
      if (line.startsWith(RULE)) {
        const text = line.replaceAll(RULE, '');
        if (/[↑↓]/.test(text)) shown.push(this.#theme.dim(text));
        continue;
      }
      shown.push((isFirst ? `${this.#theme.cyan(PROMPT_MARK)} ` : '  ') + line);
      isFirst = false;
    }
    return shown;
  }
}
