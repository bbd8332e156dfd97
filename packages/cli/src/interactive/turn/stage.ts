import type { Block } from '../blocks/block.ts';

/** Where blocks go. */
export interface Stage {
  add(block: Block): void;
  changed(block: Block): void;
  /** What is going on right now; undefined for nothing. */
  working(what: string | undefined): void;
}
