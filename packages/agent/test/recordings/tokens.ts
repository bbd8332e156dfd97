/** How long a recording is: o200k tokens of what its messages say, without ids and frames. */
import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

const ANY = { disallowedSpecial: new Set<string>() };

export function countTokens(text: string): number {
  return count(text, ANY);
}

export function callText({ name, input }: { readonly name: string; readonly input: object }): string {
  return `${name} ${JSON.stringify(input)}`;
}

interface Block {
  readonly text?: string;
  readonly content?: string;
  readonly name?: string;
  readonly input?: object;
}

interface Line {
  readonly message?: { readonly content: readonly Block[] };
}

export function tokensOf(log: string): number {
  const blocks = log
    .trimEnd()
    .split('\n')
    .flatMap((line) => (JSON.parse(line) as Line).message?.content ?? []);
  const texts = blocks.map(({ text, content, name = '', input = {} }) => text ?? content ?? callText({ name, input }));
  return texts.reduce((sum, text) => sum + countTokens(text), 0);
}
