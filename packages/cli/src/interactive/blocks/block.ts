/** One piece of the transcript: something that happened, drawn to a width. */

export interface Block {
  /** Lines no wider than `columns`. */
  render(columns: number): readonly string[];
  /** Present where there is more to see than is shown. */
  readonly fold?: Fold;
  /** Tight blocks stand below each other without an empty line. */
  readonly isTight?: boolean;
}

export interface Fold {
  isOpen: boolean;
}

/** A block of lines that never change but with the width. */
export function fixedBlock(draw: (columns: number) => readonly string[]): Block {
  return { render: draw };
}
