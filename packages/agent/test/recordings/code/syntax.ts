/** Functions before they are written in a language: names as words, bodies as statements. */
import type { Random } from '../../soak/random.ts';
import type { Domain } from '../words.ts';

export type Type = 'number' | 'text' | 'flag' | 'record' | 'records';

export interface Param {
  readonly words: readonly string[];
  readonly type: Type;
}

/** Expressions are written the same in all languages but for names, which stand in braces: `{stock level} + 3`. */
export type Statement =
  | { readonly kind: 'let'; readonly words: readonly string[]; readonly value: string }
  | { readonly kind: 'set'; readonly words: readonly string[]; readonly value: string }
  | { readonly kind: 'call'; readonly value: string }
  | { readonly kind: 'if'; readonly condition: string; readonly body: readonly Statement[] }
  | {
      readonly kind: 'for';
      readonly words: readonly string[];
      readonly list: string;
      readonly body: readonly Statement[];
    }
  | { readonly kind: 'throw'; readonly message: string }
  | { readonly kind: 'log'; readonly message: string; readonly words: readonly string[] }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'return'; readonly value: string };

export interface FunctionPlan {
  readonly words: readonly string[];
  readonly params: readonly Param[];
  readonly doc: string;
  readonly result: Type;
  readonly body: readonly Statement[];
}

export interface PlanOptions {
  readonly random: Random;
  readonly domain: Domain;
  readonly words: readonly string[];
  readonly doc: string;
  /** Names of functions that may be called. */
  readonly callable: readonly (readonly string[])[];
  /** Statements of the outermost level, about. */
  readonly length: number;
}

const name = (words: readonly string[]): string => `{${words.join(' ')}}`;

const MEASURES = ['count', 'total', 'limit', 'offset', 'weight', 'score', 'budget', 'delay', 'depth', 'size'];
const TEXTS = ['label', 'key', 'reason', 'region', 'source', 'owner', 'status', 'kind'];
const FLAGS = ['strict', 'dry run', 'retry', 'urgent', 'visible', 'locked'];

class Planner {
  readonly #options: PlanOptions;
  #numbers: (readonly string[])[] = [];
  #made = new Set<string>();

  constructor(options: PlanOptions) {
    this.#options = options;
  }

  plan(): FunctionPlan {
    const { random, domain, words, doc, length } = this.#options;
    const params: Param[] = [{ words: [...this.#noun(), 'list'], type: 'records' }];
    if (random.chance(0.7)) params.push({ words: this.#fresh(MEASURES), type: 'number' });
    if (random.chance(0.5)) params.push({ words: [random.pick(domain.nouns), random.pick(TEXTS)], type: 'text' });
    if (random.chance(0.3)) params.push({ words: [...random.pick(FLAGS).split(' ')], type: 'flag' });
    this.#numbers = params.filter(({ type }) => type === 'number').map((param) => param.words);
    const result = this.#fresh(MEASURES);
    const body: Statement[] = [{ kind: 'let', words: result, value: String(random.int(0, 9)) }];
    this.#numbers.push(result);
    for (let index = 0; index < length; index += 1) body.push(this.#statement(params, 0));
    body.push({ kind: 'return', value: name(result) });
    return { words, params, doc, result: 'number', body };
  }

  #noun(): readonly string[] {
    return [this.#options.random.pick(this.#options.domain.nouns)];
  }

  #fresh(kinds: readonly string[]): readonly string[] {
    const { random } = this.#options;
    for (let attempt = 0; ; attempt += 1) {
      const words = [
        ...this.#noun(),
        random.pick(kinds),
        ...(attempt > 20 ? [String.fromCharCode(97 + random.int(0, 25))] : []),
      ];
      if (this.#made.has(words.join(' '))) continue;
      this.#made.add(words.join(' '));
      return words;
    }
  }

  #number(): string {
    const { random } = this.#options;
    const known = name(random.pick(this.#numbers));
    return random.chance(0.5) ? `${known} ${random.pick(['+', '-', '*'])} ${random.int(2, 997)}` : known;
  }

  #condition(): string {
    const { random } = this.#options;
    const known = name(random.pick(this.#numbers));
    return `${known} ${random.pick(['>', '<', '>=', '<='])} ${random.int(2, 5_000)}`;
  }

  #call(params: readonly Param[]): string {
    const { random, callable } = this.#options;
    const records = name(params[0]?.words ?? ['items']);
    const target = callable.length === 0 ? ['measure', 'all'] : random.pick(callable);
    return `${name(target)}(${records}, ${this.#number()})`;
  }

  #block(params: readonly Param[], depth: number): readonly Statement[] {
    const { random } = this.#options;
    const known = [...this.#numbers];
    const body = Array.from({ length: random.int(1, 3) }, () => this.#statement(params, depth + 1));
    // What a block makes is not known behind it.
    this.#numbers = known;
    return body;
  }

  #message(): string {
    const { random, domain } = this.#options;
    const verb = random.pick(domain.verbs);
    return `${random.pick(['cannot', 'refused to', 'will not', 'unable to'])} ${verb} ${random.pick(domain.nouns)} without a ${random.pick(domain.nouns)} ${random.pick(TEXTS)}`;
  }

  #remark(): string {
    const { random, domain } = this.#options;
    const [noun, verb] = [random.pick(domain.nouns), random.pick(domain.verbs)];
    return `${verb} ${noun} ${random.pick(['step', 'case', 'note', 'rule'])} ${random.int(10, 999)} of the ${random.pick(domain.nouns)}`;
  }

  #let(value: string): Statement {
    const words = this.#fresh(MEASURES);
    this.#numbers.push(words);
    return { kind: 'let', words, value };
  }

  #statement(params: readonly Param[], depth: number): Statement {
    const { random } = this.#options;
    const kind = random.weighted({
      let: 2,
      set: 3,
      call: 3,
      if: depth < 2 ? 3 : 0,
      for: depth < 1 ? 2 : 0,
      throw: depth > 0 ? 1 : 0,
      log: 1,
      note: 0.6,
    });
    switch (kind) {
      case 'let':
        return this.#let(this.#number());
      case 'call':
        return this.#let(this.#call(params));
      case 'if':
        return { kind, condition: this.#condition(), body: this.#block(params, depth) };
      case 'for':
        return {
          kind,
          words: this.#noun(),
          list: name(params[0]?.words ?? ['items']),
          body: this.#block(params, depth),
        };
      case 'throw':
        return { kind: 'if', condition: this.#condition(), body: [{ kind: 'throw', message: this.#message() }] };
      default:
        return this.#simple(kind);
    }
  }

  #simple(kind: 'set' | 'log' | 'note'): Statement {
    if (kind === 'note') return { kind, text: this.#remark() };
    const words = this.#options.random.pick(this.#numbers);
    if (kind === 'log') return { kind, message: this.#remark(), words };
    return { kind, words, value: this.#number() };
  }
}

export function planFunction(options: PlanOptions): FunctionPlan {
  return new Planner(options).plan();
}
