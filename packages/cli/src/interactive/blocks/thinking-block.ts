/** What the model thinks before it answers: its last lines while it does, one line afterwards, all of it when unfolded. */
import { clip, wrap } from '../text/lines.ts';
import { duration } from '../text/numbers.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';
import type { Block, Fold } from './block.ts';

export interface ThinkingBlock extends Block {
  readonly fold: Fold;
  /** All of it so far. */
  setText(text: string): void;
  /** The answer begins. */
  end(): void;
}

/** Lines in sight while it goes on. */
const LIVE_LINES = 4;
/** As many characters fill those lines on any screen; the rest need not be wrapped anew with every piece. */
const LIVE_CHARS = 2_000;
const OPEN_LINES = 500;

export function thinkingLine(passedMs: number): string {
  return `thinking … ${duration(passedMs)}`;
}

export function thinkingBlock(theme: Theme): ThinkingBlock {
  const fold: Fold = { isOpen: false };
  const beganMs = Date.now();
  let endedMs: number | undefined;
  let text = '';
  const shown = (): string => {
    if (fold.isOpen) return text;
    return endedMs === undefined ? text.slice(-LIVE_CHARS) : '';
  };
  return {
    fold,
    isTight: true,
    setText(all) {
      text = all;
    },
    end() {
      endedMs ??= Date.now();
    },
    render(columns) {
      if (text.trim() === '') return [];
      const head = clip(theme.dim(`✻ ${thinkingLine((endedMs ?? Date.now()) - beganMs)}`), columns);
      const clean = sanitise(shown()).trim();
      const lines = clean === '' ? [] : wrap(clean, columns - 4);
      const most = fold.isOpen ? lines.slice(0, OPEN_LINES) : lines.slice(-LIVE_LINES);
      const more = fold.isOpen ? lines.length - most.length : 0;
      return [
        head,
        ...most.map((line) => theme.dim(clip(`  │ ${line}`, columns))),
        ...(more > 0 ? [theme.dim(clip(`  │ … ${more} more lines`, columns))] : []),
      ];
    },
  };
}
