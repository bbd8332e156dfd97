/**
 * Everything that happened, as one component. Blocks that scrolled far off are let go: they stand in the terminal's own scrollback, and a
 * session without end must not be drawn from its beginning at every keystroke.
 */
import type { Component } from '@mariozechner/pi-tui/dist/tui.js';
import type { Block } from '../blocks/block.ts';

/** Lines kept for redraws; a screen has fewer. */
const KEPT_LINES = 1_000;
/** Letting go means one redraw of the screen, so it is done in large pieces. */
const MOST_LINES = 3_000;

interface Placed {
  readonly block: Block;
  lines: readonly string[] | undefined;
}

export class Transcript implements Component {
  #placed: Placed[] = [];
  #columns = 0;
  readonly #onLetGo: () => void;

  /** `onLetGo`: lines at the top are gone, so that the screen has to be drawn anew. */
  constructor(onLetGo: () => void) {
    this.#onLetGo = onLetGo;
  }

  add(block: Block): void {
    this.#placed.push({ block, lines: undefined });
  }

  /** The block draws differently from now on. */
  changed(block: Block): void {
    const placed = this.#placed.findLast((one) => one.block === block);
    if (placed !== undefined) placed.lines = undefined;
  }

  clear(): void {
    this.#placed = [];
  }

  /** The newest folds that follow each other without anything between them, newest first, and the lines from each to the end. */
  folds(): readonly { readonly block: Block; readonly linesBelow: number }[] {
    const last = this.#placed.findLastIndex(({ block }) => block.fold !== undefined);
    const first = this.#placed.findLastIndex(({ block }, index) => index < last && block.fold === undefined) + 1;
    let linesBelow = this.#placed.slice(last + 1).reduce((sum, { lines }) => sum + (lines?.length ?? 0) + 1, 0);
    return this.#placed
      .slice(first, last + 1)
      .toReversed()
      .map(({ block, lines }) => {
        linesBelow += (lines?.length ?? 0) + 1;
        return { block, linesBelow };
      });
  }

  invalidate(): void {
    for (const placed of this.#placed) placed.lines = undefined;
  }

  render(columns: number): string[] {
    if (columns !== this.#columns) {
      this.#columns = columns;
      this.invalidate();
    }
    const all: string[] = [];
    let wasTight = false;
    for (const placed of this.#placed) {
      placed.lines ??= placed.block.render(columns);
      if (placed.lines.length === 0) continue;
      const isTight = placed.block.isTight === true;
      if (!(isTight && wasTight)) all.push('');
      wasTight = isTight;
      for (const line of placed.lines) all.push(line);
    }
    if (all.length <= MOST_LINES) return all;
    return this.#letGo(all);
  }

  /** Whole blocks from the top, for as long as enough is left below them to fill a screen. */
  #letGo(all: string[]): string[] {
    let left = all.length;
    for (;;) {
      const lines = (this.#placed[0]?.lines?.length ?? 0) + 1;
      if (this.#placed.length === 1 || left - lines < KEPT_LINES) break;
      left -= lines;
      this.#placed.shift();
    }
    // Where nothing could go, to draw anew would be to draw for ever.
    if (left === all.length) return all;
    queueMicrotask(this.#onLetGo);
    return all.slice(-left);
  }
}
