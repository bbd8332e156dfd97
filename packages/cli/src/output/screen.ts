/** Where lines go: in a terminal coloured, with one meter line that stays at the bottom; in a pipe plain lines, the meter among them. */
import pc from 'picocolors';

export interface Terminal {
  readonly columns: number;
}

export interface Screen {
  /** A line of what happens, clipped to the width. */
  line(text: string): void;
  /** A line printed whole. */
  whole(text: string): void;
  meter(text: string): void;
  /** Takes the meter away. */
  end(): void;
}

const PIPE_COLUMNS = 80;

/** Back to the start of the line, and clear it. */
const CLEAR = '\r\u001b[2K';

type Paint = (text: string) => string;

/** What a line's label says of its weight. */
const PAINTS: readonly (readonly [RegExp, Paint])[] = [
  [/^\[(too long|cut|truncated)\]/, (text) => pc.bold(pc.red(text))],
  [/^\[(auto compact|reactive compact|compact|summary)\]/, (text) => pc.bold(pc.magenta(text))],
  [/^\[(budget|fit)\]/, pc.cyan],
  [/^\[snip\]/, pc.blue],
  [/^\[/, pc.dim],
  [/^→/, pc.dim],
  [/^promise|FAILED/, pc.red],
];

function painted(text: string): string {
  const paint = PAINTS.find(([pattern]) => pattern.test(text))?.[1];
  return paint === undefined ? text : paint(text);
}

function clipped(text: string, columns: number): string {
  const characters = [...text];
  return characters.length < columns ? text : `${characters.slice(0, columns - 2).join('')}…`;
}

export function createScreen(out: (text: string) => void, terminal: Terminal | undefined): Screen {
  const columns = terminal?.columns ?? PIPE_COLUMNS;
  if (terminal === undefined) {
    const line = (text: string): void => out(`${clipped(text, columns)}\n`);
    return { line, whole: (text) => out(`${text}\n`), meter: line, end: () => undefined };
  }
  let meter = '';
  const write = (text: string): void => out(`${CLEAR}${text}\n${meter}`);
  return {
    line: (text) => write(painted(clipped(text, columns))),
    whole: (text) => write(painted(text)),
    meter: (text) => {
      meter = pc.green(clipped(text, columns));
      out(`${CLEAR}${meter}`);
    },
    end: () => {
      meter = '';
      out(CLEAR);
    },
  };
}
