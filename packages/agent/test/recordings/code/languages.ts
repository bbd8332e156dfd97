/** How functions are written in each language. */
import { camel, pascal, snake } from '../words.ts';
import type { FunctionPlan, Param, Statement, Type } from './syntax.ts';

export type LanguageName = 'typescript' | 'python' | 'go' | 'rust' | 'java';

export interface Language {
  readonly name: LanguageName;
  readonly extension: string;
  readonly comment: string;
  readonly names: (words: readonly string[]) => string;
  readonly head: (about: {
    readonly module: readonly string[];
    readonly imports: readonly (readonly string[])[];
  }) => readonly string[];
  readonly func: (plan: FunctionPlan) => readonly string[];
}

interface Grammar {
  readonly indent: string;
  readonly types: Readonly<Record<Type, string>>;
  readonly names: (words: readonly string[]) => string;
  readonly comment: string;
  readonly signature: (plan: FunctionPlan, params: string) => string;
  readonly param: (name: string, type: string) => string;
  readonly doc: (text: string) => readonly string[];
  readonly let: (name: string, value: string) => string;
  readonly set: (name: string, value: string) => string;
  readonly if: (condition: string) => string;
  readonly for: (name: string, list: string) => string;
  readonly throw: (message: string) => string;
  readonly log: (message: string, name: string) => string;
  readonly return: (value: string) => string;
  /** What closes a block; undefined where indentation does. */
  readonly close: string | undefined;
  /** In front of the signature's own indentation. */
  readonly outer: string;
}

const GRAMMARS: Readonly<Record<LanguageName, Grammar>> = {
  typescript: {
    indent: '  ',
    outer: '',
    types: { number: 'number', text: 'string', flag: 'boolean', record: 'Item', records: 'readonly Item[]' },
    names: camel,
    comment: '//',
    signature: ({ words, result }, params) =>
      `export function ${camel(words)}(${params}): ${result === 'number' ? 'number' : 'void'} {`,
    param: (name, type) => `${name}: ${type}`,
    doc: (text) => [`/** ${text} */`],
    let: (name, value) => `let ${name} = ${value};`,
    set: (name, value) => `${name} = ${value};`,
    if: (condition) => `if (${condition}) {`,
    for: (name, list) => `for (const ${name} of ${list}) {`,
    throw: (message) => `throw new Error('${message}');`,
    log: (message, name) => `logger.info('${message}', { ${name} });`,
    return: (value) => `return ${value};`,
    close: '}',
  },
  python: {
    indent: '    ',
    outer: '',
    types: { number: 'int', text: 'str', flag: 'bool', record: 'Item', records: 'list[Item]' },
    names: snake,
    comment: '#',
    signature: ({ words }, params) => `def ${snake(words)}(${params}) -> int:`,
    param: (name, type) => `${name}: ${type}`,
    doc: (text) => [`# ${text}`],
    let: (name, value) => `${name} = ${value}`,
    set: (name, value) => `${name} = ${value}`,
    if: (condition) => `if ${condition}:`,
    for: (name, list) => `for ${name} in ${list}:`,
    throw: (message) => `raise ValueError("${message}")`,
    log: (message, name) => `log.info("${message}: %s", ${name})`,
    return: (value) => `return ${value}`,
    close: undefined,
  },
  go: {
    indent: '\t',
    outer: '',
    types: { number: 'int', text: 'string', flag: 'bool', record: 'Item', records: '[]Item' },
    names: camel,
    comment: '//',
    signature: ({ words }, params) => `func ${pascal(words)}(${params}) (int, error) {`,
    param: (name, type) => `${name} ${type}`,
    doc: (text) => [`// ${text}`],
    let: (name, value) => `${name} := ${value}`,
    set: (name, value) => `${name} = ${value}`,
    if: (condition) => `if ${condition} {`,
    for: (name, list) => `for _, ${name} := range ${list} {`,
    throw: (message) => `return 0, errors.New("${message}")`,
    log: (message, name) => `slog.Info("${message}", "value", ${name})`,
    return: (value) => `return ${value}, nil`,
    close: '}',
  },
  rust: {
    indent: '    ',
    outer: '',
    types: { number: 'i64', text: '&str', flag: 'bool', record: 'Item', records: '&[Item]' },
    names: snake,
    comment: '//',
    signature: ({ words }, params) => `pub fn ${snake(words)}(${params}) -> Result<i64, Failure> {`,
    param: (name, type) => `${name}: ${type}`,
    doc: (text) => [`/// ${text}`],
    let: (name, value) => `let mut ${name} = ${value};`,
    set: (name, value) => `${name} = ${value};`,
    if: (condition) => `if ${condition} {`,
    for: (name, list) => `for ${name} in ${list} {`,
    throw: (message) => `return Err(Failure::new("${message}"));`,
    log: (message, name) => `tracing::info!("${message}: {}", ${name});`,
    return: (value) => `Ok(${value})`,
    close: '}',
  },
  java: {
    indent: '    ',
    outer: '    ',
    types: { number: 'long', text: 'String', flag: 'boolean', record: 'Item', records: 'List<Item>' },
    names: camel,
    comment: '//',
    signature: ({ words }, params) => `public static long ${camel(words)}(${params}) {`,
    param: (name, type) => `${type} ${name}`,
    doc: (text) => ['/**', ` * ${text}`, ' */'],
    let: (name, value) => `long ${name} = ${value};`,
    set: (name, value) => `${name} = ${value};`,
    if: (condition) => `if (${condition}) {`,
    for: (name, list) => `for (Item ${name} : ${list}) {`,
    throw: (message) => `throw new IllegalStateException("${message}");`,
    log: (message, name) => `LOG.info("${message}: {}", ${name});`,
    return: (value) => `return ${value};`,
    close: '}',
  },
};

/** `{stock level} + 3` with the names as the language writes them. */
function written(expression: string, names: Grammar['names']): string {
  return expression.replaceAll(/\{([^}]*)\}/g, (_, words: string) => names(words.split(' ')));
}

function block(body: readonly Statement[], grammar: Grammar, indent: string): readonly string[] {
  const tail = grammar.close === undefined ? [] : [`${indent}${grammar.close}`];
  return [...body.flatMap((statement) => lines(statement, grammar, indent + grammar.indent)), ...tail];
}

function lines(statement: Statement, grammar: Grammar, indent: string): readonly string[] {
  const text = (expression: string): string => written(expression, grammar.names);
  switch (statement.kind) {
    case 'let':
      return [`${indent}${grammar.let(grammar.names(statement.words), text(statement.value))}`];
    case 'set':
      return [`${indent}${grammar.set(grammar.names(statement.words), text(statement.value))}`];
    case 'call':
      return [`${indent}${text(statement.value)}`];
    case 'if':
      return [`${indent}${grammar.if(text(statement.condition))}`, ...block(statement.body, grammar, indent)];
    case 'for':
      return [
        `${indent}${grammar.for(grammar.names(statement.words), text(statement.list))}`,
        ...block(statement.body, grammar, indent),
      ];
    case 'throw':
      return [`${indent}${grammar.throw(statement.message)}`];
    case 'log':
      return [`${indent}${grammar.log(statement.message, grammar.names(statement.words))}`];
    case 'note':
      return [`${indent}${grammar.comment} ${statement.text}`];
    case 'return':
      return [`${indent}${grammar.return(text(statement.value))}`];
  }
}

function func(plan: FunctionPlan, grammar: Grammar): readonly string[] {
  const param = ({ words, type }: Param): string => grammar.param(grammar.names(words), grammar.types[type]);
  const signature = grammar.signature(plan, plan.params.map(param).join(', '));
  const { outer } = grammar;
  return [...grammar.doc(plan.doc).map((line) => outer + line), outer + signature, ...block(plan.body, grammar, outer)];
}

const HEADS: Readonly<Record<LanguageName, Language['head']>> = {
  typescript: ({ imports }) => [
    "import { logger } from './logger.ts';",
    "import type { Item } from './item.ts';",
    ...imports.map((words) => `import * as ${camel(words)} from './${words.join('-')}.ts';`),
  ],
  python: ({ imports }) => [
    'import logging',
    'from .item import Item',
    ...imports.map((words) => `from . import ${snake(words)}`),
    '',
    'log = logging.getLogger(__name__)',
  ],
  go: ({ module }) => [`package ${module.join('')}`, '', 'import (', '\t"errors"', '\t"log/slog"', ')'],
  rust: ({ imports }) => [
    'use crate::failure::Failure;',
    'use crate::item::Item;',
    ...imports.map((words) => `use super::${snake(words)};`),
  ],
  java: ({ module }) => [
    'package app.core;',
    '',
    'import java.util.List;',
    '',
    `public final class ${pascal(module)} {`,
    `    private static final Logger LOG = Logger.of(${pascal(module)}.class);`,
  ],
};

const EXTENSIONS: Readonly<Record<LanguageName, string>> = {
  typescript: 'ts',
  python: 'py',
  go: 'go',
  rust: 'rs',
  java: 'java',
};

function languageOf(name: LanguageName): Language {
  const grammar = GRAMMARS[name];
  const { comment, names } = grammar;
  return { name, extension: EXTENSIONS[name], comment, names, head: HEADS[name], func: (plan) => func(plan, grammar) };
}

export const LANGUAGES: Readonly<Record<LanguageName, Language>> = {
  typescript: languageOf('typescript'),
  python: languageOf('python'),
  go: languageOf('go'),
  rust: languageOf('rust'),
  java: languageOf('java'),
};
