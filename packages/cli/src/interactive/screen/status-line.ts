/** The one line at the bottom: how far the next compaction is, what it cost, which model and session. What does not fit goes, least needed first. */
import type { Component } from '@mariozechner/pi-tui/dist/tui.js';
import type { Meter } from '../session/session-port.ts';
import { clip, spread, visibleWidth } from '../text/lines.ts';
import { dollars } from '../text/numbers.ts';
import type { Theme } from '../text/theme.ts';
import { distance, meterBar, percentUsed } from './meter-bar.ts';

export interface Status {
  readonly model: string;
  /** Undefined while no session is open yet. */
  readonly sessionId?: string;
  readonly meter?: Meter;
  readonly usd?: number;
}

/** Ids end in a part that is drawn by chance; that much tells sessions of one folder apart. */
const ID_CHARS = 8;

const CELLS = [16, 10, 6] as const;

function meterPart(meter: Meter | undefined, cells: number, theme: Theme): string {
  if (meter === undefined) return theme.dim('┄'.repeat(cells));
  return `${meterBar(meter, cells, theme)} ${theme.dim(percentUsed(meter))}`;
}

/** Variants from full to least. */
function variants(status: Status, theme: Theme): readonly (readonly [string, string])[] {
  const { model, sessionId, meter, usd } = status;
  const left = meter === undefined ? 'context empty' : distance(meter);
  const cost = usd === undefined || usd === 0 ? '' : dollars(usd);
  const id = sessionId?.slice(-ID_CHARS) ?? '';
  const right = (parts: readonly string[]): string => theme.dim(parts.filter((part) => part !== '').join(' · '));
  const lefts = CELLS.map((cells) => `${meterPart(meter, cells, theme)}  ${theme.dim(left)}`);
  const [wide = '', medium = '', narrow = ''] = lefts;
  return [
    [wide, right([cost, model, id])],
    [medium, right([cost, model])],
    [narrow, right([cost])],
    [narrow, ''],
  ];
}

export function statusText(status: Status, columns: number, theme: Theme): string {
  const all = variants(status, theme);
  const fitting = all.find(([left, right]) => visibleWidth(left) + visibleWidth(right) + 2 <= columns);
  const [left, right] = fitting ?? all[all.length - 1] ?? ['', ''];
  return right === '' ? clip(left, columns) : spread(left, right, columns);
}

export class StatusLine implements Component {
  status: Status;
  /** Takes the line's place for a moment. */
  hint: string | undefined;
  readonly #theme: Theme;

  constructor(status: Status, theme: Theme) {
    this.status = status;
    this.#theme = theme;
  }

  invalidate(): void {
    // Nothing is kept between two drawings.
  }

  render(columns: number): string[] {
    const inner = columns - 3;
    const text = this.hint === undefined ? statusText(this.status, inner, this.#theme) : this.#theme.yellow(this.hint);
    return [`  ${clip(text, inner)}`];
  }
}
