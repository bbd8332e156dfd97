/** A list to choose from, in the editor's place. */
import { SelectList } from '@mariozechner/pi-tui/dist/components/select-list.js';
import type { Component } from '@mariozechner/pi-tui/dist/tui.js';
import { clip } from '../text/lines.ts';
import { sanitiseLine } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
  /** Where the list begins. @default the first */
  readonly isCurrent?: boolean;
}

const MOST_VISIBLE = 8;
const LABEL_COLUMNS = 44;

export class Chooser implements Component {
  readonly #title: string;
  readonly #theme: Theme;
  readonly #list: SelectList;

  constructor(
    about: { readonly title: string; readonly items: readonly Choice[] },
    theme: Theme,
    chosen: (value: string | undefined) => void,
  ) {
    this.#title = about.title;
    this.#theme = theme;
    const items = about.items.map(({ value, label, description }) => ({
      value,
      label: sanitiseLine(label),
      ...(description === undefined ? {} : { description: sanitiseLine(description) }),
    }));
    this.#list = new SelectList(
      items,
      MOST_VISIBLE,
      {
        selectedPrefix: theme.cyan,
        selectedText: (text) => theme.cyan(theme.bold(text)),
        description: theme.dim,
        scrollInfo: theme.dim,
        noMatch: theme.dim,
      },
      { minPrimaryColumnWidth: 12, maxPrimaryColumnWidth: LABEL_COLUMNS },
    );
    this.#list.setSelectedIndex(
      Math.max(
        0,
        about.items.findIndex(({ isCurrent }) => isCurrent === true),
      ),
    );
    this.#list.onSelect = ({ value }) => chosen(value);
    this.#list.onCancel = () => chosen(undefined);
  }

  invalidate(): void {
    this.#list.invalidate();
  }

  handleInput(data: string): void {
    this.#list.handleInput(data);
  }

  render(columns: number): string[] {
    const { bold, dim } = this.#theme;
    const lines = [bold(this.#title), ...this.#list.render(columns), dim('  ↑↓ move · Enter takes · Esc leaves it')];
    return lines.map((line) => clip(line, columns));
  }
}
