/**
 * The process's terminal, with the scrollback left alone. The library draws everything anew, and clears the scrollback for it, when the size
 * changes or a line above the screen does. What scrolled off is the user's, shell history included: here only the screen is drawn anew.
 */
import { ProcessTerminal, type Terminal } from '@mariozechner/pi-tui/dist/terminal.js';

/** What the library begins a full redraw with: clear the screen, home, clear the scrollback. */
const CLEAR_ALL = '\u001b[2J\u001b[H\u001b[3J';
const CLEAR_SCREEN = '\u001b[2J\u001b[H';
const SYNC_END = '\u001b[?2026l';

/** A full redraw cut down to the lines that are on the screen; anything else as it is. */
export function keepScrollback(data: string, rows: number): string {
  const at = data.indexOf(CLEAR_ALL);
  if (at < 0) return data;
  const start = at + CLEAR_ALL.length;
  const end = data.indexOf(SYNC_END, start);
  const lines = data.slice(start, end < 0 ? data.length : end).split('\r\n');
  return data.slice(0, at) + CLEAR_SCREEN + lines.slice(-rows).join('\r\n') + (end < 0 ? '' : data.slice(end));
}

export function createTerminal(): Terminal {
  const terminal = new ProcessTerminal();
  const write = terminal.write.bind(terminal);
  terminal.write = (data) => write(keepScrollback(data, terminal.rows));
  return terminal;
}
