/** Messages typed while the agent works, above the editor, in the order they will be sent. */
import type { Component } from '@mariozechner/pi-tui/dist/tui.js';
import { clip } from '../text/lines.ts';
import { sanitiseLine } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';

const MOST_SHOWN = 4;

export class QueueView implements Component {
  messages: readonly string[] = [];
  readonly #theme: Theme;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  invalidate(): void {
    // Nothing is kept between two drawings.
  }

  render(columns: number): string[] {
    const { messages } = this;
    if (messages.length === 0) return [];
    const { dim } = this.#theme;
    const shown = messages.slice(0, MOST_SHOWN).map((text) => clip(dim(`  ↳ queued: ${sanitiseLine(text)}`), columns));
    const more = messages.length - shown.length;
    const rest = more === 0 ? 'Alt-Up takes the last one back' : `${more} more · Alt-Up takes the last one back`;
    return ['', ...shown, clip(dim(`    ${rest}`), columns)];
  }
}
