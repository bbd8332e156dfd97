/** Completion in the editor: commands behind `/`, files behind `@`, paths on Tab. */
import type {
  AutocompleteItem,
  AutocompleteProvider,
  AutocompleteSuggestions,
} from '@mariozechner/pi-tui/dist/autocomplete.js';
import { fuzzyFilter } from '@mariozechner/pi-tui/dist/fuzzy.js';
import { COMMANDS } from '../commands/registry.ts';
import { sanitise } from '../text/sanitise.ts';
import { createFileList, type ListFiles } from './list-files.ts';

const MOST_ITEMS = 50;

function commandItems(prefix: string): readonly AutocompleteItem[] {
  // By their beginning only: a wrong name that is sent gets an answer, not another command.
  const shown = COMMANDS.filter(({ name }) => name.startsWith(prefix));
  return shown.map(({ name, args, about }) => ({
    value: `/${name}`,
    label: `/${name}${args === '' ? '' : ` ${args}`}`,
    description: about,
  }));
}

/** A name with a control character in it would not survive the editor: it is not offered. */
function isPlain(path: string): boolean {
  return sanitise(path) === path && !path.includes('\n');
}

function rank(paths: readonly string[], query: string): readonly string[] {
  const plain = paths.filter(isPlain);
  if (query === '') return plain.slice(0, MOST_ITEMS);
  const starting = plain.filter((path) => path.startsWith(query));
  const rest = fuzzyFilter(
    plain.filter((path) => !path.startsWith(query)),
    query,
    (path) => path,
  );
  return [...starting, ...rest].slice(0, MOST_ITEMS);
}

async function fileItems(
  query: string,
  sign: '@' | '',
  list: () => Promise<readonly string[]>,
): Promise<readonly AutocompleteItem[]> {
  const paths = await list();
  // Nothing is left to complete: Enter sends.
  if (paths.includes(query)) return [];
  return rank(paths, query).map((path) => {
    const quoted = path.includes(' ') ? `"${path}"` : path;
    return { value: `${sign}${quoted}`, label: path };
  });
}

class Completion implements AutocompleteProvider {
  readonly #list: ListFiles;

  constructor(folder: string) {
    this.#list = createFileList(folder);
  }

  async getSuggestions(
    lines: string[],
    cursorLine: number,
    ...[cursorCol, options]: [number, { readonly signal: AbortSignal; readonly force?: boolean }]
  ): Promise<AutocompleteSuggestions | null> {
    const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
    const list = (): Promise<readonly string[]> => this.#list(options.signal);
    const command = cursorLine === 0 ? /^\s*\/([a-z?-]*)$/i.exec(before) : null;
    if (command !== null) return suggest(commandItems((command[1] ?? '').toLowerCase()), command[0].trimStart());
    const mention = /(?:^|\s)(@"?([^\s"]*))$/.exec(before);
    if (mention !== null) return suggest(await fileItems(mention[2] ?? '', '@', list), mention[1] ?? '');
    if (options.force !== true) return null;
    const word = /[^\s"'`]*$/.exec(before)?.[0] ?? '';
    return suggest(await fileItems(word, '', list), word);
  }

  applyCompletion(
    lines: string[],
    cursorLine: number,
    ...[cursorCol, item, prefix]: [number, AutocompleteItem, string]
  ): { lines: string[]; cursorLine: number; cursorCol: number } {
    const line = lines[cursorLine] ?? '';
    // A folder is gone into further; anything else is done with.
    const text = item.value + (/\/"?$/.test(item.value) ? '' : ' ');
    const start = cursorCol - prefix.length;
    const changed = line.slice(0, start) + text + line.slice(cursorCol);
    const all = lines.map((other, index) => (index === cursorLine ? changed : other));
    return { lines: all, cursorLine, cursorCol: start + text.length };
  }
}

function suggest(items: readonly AutocompleteItem[], prefix: string): AutocompleteSuggestions | null {
  return items.length === 0 ? null : { items: [...items], prefix };
}

export function createCompletion(folder: string): AutocompleteProvider {
  return new Completion(folder);
}
