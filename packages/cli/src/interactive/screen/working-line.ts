/** What is going on right now, with the time it takes. Nothing while nothing is. */
import type { Component } from '@mariozechner/pi-tui/dist/tui.js';
import { clip } from '../text/lines.ts';
import type { Theme } from '../text/theme.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
/** Slow enough for a link over ssh: some 60 bytes each. */
const FRAME_MS = 120;

export class WorkingLine implements Component {
  readonly #theme: Theme;
  readonly #onFrame: () => void;
  #what: string | undefined;
  #sinceMs = 0;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(theme: Theme, onFrame: () => void) {
    this.#theme = theme;
    this.#onFrame = onFrame;
  }

  /** `undefined` ends it; another text goes on with the same clock. */
  show(what: string | undefined): void {
    if (what === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#timer === undefined) {
      this.#sinceMs = Date.now();
      this.#timer = setInterval(() => {
        this.#frame += 1;
        this.#onFrame();
      }, FRAME_MS);
    }
    this.#what = what;
    this.#onFrame();
  }

  invalidate(): void {
    // Nothing is kept between two drawings.
  }

  render(columns: number): string[] {
    if (this.#what === undefined) return [];
    const seconds = Math.floor((Date.now() - this.#sinceMs) / 1_000);
    const mark = this.#theme.cyan(FRAMES[this.#frame % FRAMES.length] ?? '');
    const rest = this.#theme.dim(`${this.#what} ${seconds > 0 ? `${seconds} s · ` : '· '}Esc interrupts`);
    return ['', clip(`${mark} ${rest}`, columns)];
  }
}
