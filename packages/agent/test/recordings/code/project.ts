/** A source tree: modules of functions that call each other. */
import type { Random } from '../../soak/random.ts';
import { type Domain, kebab, type NameSource, namesOf, pascal, sentences, snake } from '../words.ts';
import type { Language } from './languages.ts';
import { planFunction } from './syntax.ts';

export interface Module {
  readonly words: readonly string[];
  readonly path: string;
  /** Names of its functions, as written. */
  readonly functions: readonly string[];
  readonly text: string;
}

export interface ProjectOptions {
  readonly random: Random;
  readonly domain: Domain;
  readonly language: Language;
  /** Folders the modules are spread over. */
  readonly folders: readonly string[];
}

export interface Project {
  readonly names: { readonly verb: NameSource; readonly noun: NameSource };
  /** Another module; functions of earlier ones are called in it. `statements`: of each function, about. */
  module(options: { readonly functions: number; readonly statements: number; readonly folder?: string }): Module;
  /** A function of its own, for what is added later. */
  func(statements: number): { readonly name: string; readonly lines: readonly string[] };
}

function fileName(words: readonly string[], language: Language): string {
  if (language.name === 'java') return `${pascal(words)}.java`;
  return `${language.name === 'typescript' ? kebab(words) : snake(words)}.${language.extension}`;
}

export function createProject({ random, domain, language, folders }: ProjectOptions): Project {
  const names = namesOf(random, domain);
  const callable: (readonly string[])[] = [];
  const modules: (readonly string[])[] = [];
  const written = (statements: number): { words: readonly string[]; lines: readonly string[] } => {
    const words = names.verb();
    const length = Math.max(2, statements + random.int(-2, 3));
    const plan = planFunction({ random, domain, words, doc: sentences(random, domain, 1), callable, length });
    callable.push(words);
    return { words, lines: language.func(plan) };
  };
  const nameOf = (words: readonly string[]): string => (language.name === 'go' ? pascal(words) : language.names(words));
  return {
    names,
    module({ functions, statements, folder = random.pick(folders) }) {
      const words = names.noun();
      const imports = modules.length === 0 ? [] : [random.pick(modules)];
      const made = Array.from({ length: functions }, () => written(statements));
      const body = made.flatMap(({ lines }) => ['', ...lines]);
      const tail = language.name === 'java' ? ['}'] : [];
      const text = `${[...language.head({ module: words, imports }), ...body, ...tail].join('\n')}\n`;
      modules.push(words);
      return {
        words,
        path: `${folder}/${fileName(words, language)}`,
        functions: made.map((one) => nameOf(one.words)),
        text,
      };
    },
    func(statements) {
      const { words, lines } = written(statements);
      return { name: nameOf(words), lines };
    },
  };
}
