/**
 * Lens: a table from tool call to facts. Rules about files or commands use facts only, so the same engine serves any
 * tool set. Lookup is by name; a tool the lens does not know yields the plain fact that it was called.
 */

/** What one tool call did. */
export type Fact =
  | { readonly kind: 'read' | 'wrote' | 'edited'; readonly path: string }
  | { readonly kind: 'ran'; readonly command: string }
  | { readonly kind: 'searched'; readonly query: string }
  | { readonly kind: 'called'; readonly name: string };

/** Reads the fact off a call by the tool's name and input; must not throw. */
export type Lens = (name: string, input: unknown) => Fact;

function field(input: unknown, ...names: readonly string[]): string {
  if (input === null || typeof input !== 'object') return '';
  const record = input as Record<string, unknown>;
  for (const name of names) {
    const value = record[name];
    if (typeof value === 'string') return value;
  }
  return '';
}

type Rule = (input: unknown) => Fact;

const file =
  (kind: 'read' | 'wrote' | 'edited'): Rule =>
  (input) => ({ kind, path: field(input, 'path', 'file_path') });

const RULES: Readonly<Record<string, Rule>> = {
  read_file: file('read'),
  write_file: file('wrote'),
  edit_file: file('edited'),
  bash: (input) => ({ kind: 'ran', command: field(input, 'command') }),
  glob: (input) => ({ kind: 'searched', query: field(input, 'pattern') }),
  grep: (input) => ({ kind: 'searched', query: field(input, 'pattern') }),
};

/** Facts of the teaching system's tools, which the agent uses. */
export const defaultLens: Lens = (name, input) => {
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  return rule === undefined ? { kind: 'called', name } : rule(input);
};
