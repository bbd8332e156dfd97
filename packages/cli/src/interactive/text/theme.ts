/** Colours and marks of the terminal. The sixteen colours of the terminal's own palette, so that any background and any link will do. */

export type Paint = (text: string) => string;

export interface Theme {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly struck: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly blue: Paint;
  readonly magenta: Paint;
  readonly cyan: Paint;
}

function sgr(open: number, close: number): Paint {
  return (text) => (text === '' ? '' : `\u001b[${open}m${text}\u001b[${close}m`);
}

const plain: Paint = (text) => text;

const WEIGHTS = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  italic: sgr(3, 23),
  underline: sgr(4, 24),
  struck: sgr(9, 29),
};

const COLOURED: Theme = {
  ...WEIGHTS,
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  blue: sgr(34, 39),
  magenta: sgr(35, 39),
  cyan: sgr(36, 39),
};

const NO_COLOURS = { red: plain, green: plain, yellow: plain, blue: plain, magenta: plain, cyan: plain };

const COLOURLESS: Theme = { ...WEIGHTS, ...NO_COLOURS };

/** For pipes and terminals that know no escapes: the text as it is. */
export const PLAIN: Theme = { bold: plain, dim: plain, italic: plain, underline: plain, struck: plain, ...NO_COLOURS };

/** `NO_COLOR` (any value that is not empty) takes the colours away and leaves bold and dim, which are none. */
export function themeFor(env: Readonly<Record<string, string | undefined>>): Theme {
  return (env['NO_COLOR'] ?? '') === '' ? COLOURED : COLOURLESS;
}
