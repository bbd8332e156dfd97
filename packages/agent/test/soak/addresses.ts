/** Whether addresses in the ledger give back what they stand for. */
import type { Context, Edit, PartEdit, RangeEdit } from '@holdover/engine';
import type { Provider } from '@holdover/agent';
import { createHash } from 'node:crypto';
import type { Random } from './random.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Every text a person could read in a message, wherever it stands. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]): readonly string[] => {
    if (typeof member === 'string') return key === 'text' || key === 'content' ? [member] : [];
    return key === 'content' || Array.isArray(value) ? textsOf(member) : [];
  });
}

/** A result or text as it stands in the wire message, to the byte. */
function exactPart(message: object, part: number): string | undefined {
  const { role, content } = message as Fields;
  const asText = (value: unknown = ''): string => (typeof value === 'string' ? value : JSON.stringify(value));
  if (role === 'tool' || typeof content === 'string') return asText(content);
  const block = Array.isArray(content) ? (content[part] as Fields | undefined) : undefined;
  if (block?.['type'] === 'text') return String(block['text']);
  return block?.['type'] === 'tool_result' ? asText(block['content']) : undefined;
}

function partProblem({ at, part }: PartEdit, text: string, history: readonly object[]): string | undefined {
  const exact = exactPart(history[at] ?? {}, part);
  return exact === undefined || exact === text ? undefined : `gives other bytes than message ${at} has`;
}

/** Texts stand in a range in their order: where the next one is looked for first. */
const NEAR_CHARS = 20_000;

/** The first of `words` that `text` lacks, as it is or as JSON has it. Looks near the one before first, or a long range would take the square of its length. */
function missingIn(text: string, words: readonly string[]): string | undefined {
  let at = 0;
  return words.find((said) => {
    const forms = [said, JSON.stringify(said).slice(1, -1)];
    const near = text.slice(at, at + said.length + NEAR_CHARS);
    const found = forms.map((form) => near.indexOf(form)).find((index) => index >= 0);
    if (found !== undefined) at += found;
    return found === undefined && !forms.some((form) => text.includes(form));
  });
}

function rangeProblem({ from, to }: RangeEdit, text: string, history: readonly object[]): string | undefined {
  const texts = history.slice(from, to).flatMap(textsOf);
  const lost = missingIn(text, texts);
  return lost === undefined ? undefined : `lacks ${JSON.stringify(lost.slice(0, 80))}`;
}

function contentProblem(address: string, text: string): string | undefined {
  if (!address.startsWith('c_') || !text.isWellFormed()) return undefined;
  const own = `c_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  return own === address ? undefined : 'gives a text that has another address';
}

/** The edits that make the view what it is. */
function editsInView(context: Context<object, object>): readonly Edit[] {
  return context
    .view()
    .entries.flatMap(({ range, patches, notes }) => [
      ...(range === undefined ? [] : [range]),
      ...(patches?.values() ?? []),
      ...(notes ?? []),
    ]);
}

export interface AddressCheck {
  readonly checked: number;
  readonly problems: readonly string[];
}

/** Redeems `count` addresses of the edits in view. */
export async function checkAddresses(
  { context }: { readonly context: Context<object, object>; readonly provider?: Provider },
  random: Random,
  count: number,
): Promise<AddressCheck> {
  const all = editsInView(context).flatMap((edit) => edit.addresses.map((address) => ({ edit, address })));
  const history = context.history();
  const problems: string[] = [];
  const sample = all.length <= count ? all : Array.from({ length: count }, () => random.pick(all));
  for (const { edit, address } of sample) {
    const recalled = await context.recall(address).catch((error: unknown) => error as Error);
    if (recalled instanceof Error) {
      problems.push(`${address} of ${edit.layer}: ${recalled.message}`);
      continue;
    }
    const text = recalled.kind === 'content' ? recalled.text : '';
    const isRange = edit.kind === 'range' && !address.startsWith('c_');
    const problem =
      contentProblem(address, text) ??
      (edit.kind === 'part' ? partProblem(edit, text, history) : undefined) ??
      (isRange ? rangeProblem(edit, text, history) : undefined);
    if (problem !== undefined) problems.push(`${address} of ${edit.layer} ${problem}`);
  }
  return { checked: sample.length, problems };
}
