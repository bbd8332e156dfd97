/** The tools of the pi coding agent. */
import { command, file, listing, reading, searching, type TableLens, tableLens } from './table.ts';

export const pi: TableLens = tableLens({
  name: 'pi',
  rules: {
    read: reading('path', 1),
    write: file('wrote', 'path'),
    edit: file('edited', 'path'),
    bash: command,
    grep: searching('pattern'),
    find: searching('pattern'),
    ls: listing,
  },
});
