/** Which programming language a text is in: by the name of its file, else by evidence. */

/** Names as the grammars of tree-sitter have them. */
export type Language =
  | 'javascript'
  | 'typescript'
  | 'tsx'
  | 'python'
  | 'go'
  | 'rust'
  | 'java'
  | 'c'
  | 'cpp'
  | 'c_sharp'
  | 'kotlin'
  | 'swift'
  | 'scala'
  | 'ruby'
  | 'php';

const BY_EXTENSION: Readonly<Record<string, Language>> = {
  js: 'javascript',
  cjs: 'javascript',
  mjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  cts: 'typescript',
  mts: 'typescript',
  tsx: 'tsx',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hpp: 'cpp',
  cs: 'c_sharp',
  kt: 'kotlin',
  swift: 'swift',
  scala: 'scala',
  rb: 'ruby',
  php: 'php',
};

function extensionOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** The language of a file by its name; `none` for a name that says it is something else; undefined where it says nothing. */
export function languageOfPath(path: string): Language | 'none' | undefined {
  const extension = extensionOf(path);
  if (extension === '') return undefined;
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : 'none';
}

/** Lines only one language has, as they are formatted usually. */
const EVIDENCE: readonly (readonly [Language, RegExp])[] = [
  [
    'typescript',
    /^(?:import .*from ['"]|import ['"]|export (?:default|const|function|class|interface|type|async|abstract|\{|\*)|(?:const|let|var) [\w{[].* = |(?:async )?function\*? ?\w*\(|\}\);?$|\s+(?:const|let|return|await)\b.*;$)/,
  ],
  [
    'python',
    /^(?:from [\w.]+ import |import [\w.]+(?: as \w+)?$|\s*(?:async )?def \w+\(|\s*class \w+.*:$|\s*(?:if|elif|for|while|with|try|except|else)\b.*:$|\s*@\w|\s+self\.\w+ = )/,
  ],
  [
    'go',
    /^(?:package \w+$|func [(\w]|import (?:\(|")|type \w+ (?:struct|interface|func)\b|\t+.* := |\t+if err != nil \{$|\t+return\b)/,
  ],
  [
    'rust',
    /^(?:use \w+::|\s*pub (?:fn|struct|enum|mod|trait|use|const|async|\()|\s*(?:async )?fn \w+|impl\b|mod \w+|\s*#!?\[\w+|\s*let (?:mut )?\w+.* = .*;$)/,
  ],
  [
    'java',
    /^(?:package [\w.]+;$|import (?:static )?[\w.*]+;$|\s*(?:public|private|protected)\s.*[{;]$|\s*@(?:Override|Test|\w+\()|\s+return .*;$)/,
  ],
  [
    'c',
    /^(?:#\s*(?:include|define|ifdef|ifndef|endif|pragma)\b|(?:static |extern |const |unsigned )*(?:int|void|char|struct \w+|float|double|bool|size_t)\b.*[;{(,)]$|typedef )/,
  ],
];

const PROBED_LINES = 300;
const MAX_PROBED_CHARS = 300;
const MIN_HITS = 4;
const MIN_SHARE = 0.12;
/** Share of the lines that end as lines of code do. */
const MIN_ENDINGS = 0.3;

/** The language `lines` are written in by all evidence, or undefined where that is thin. */
export function languageOf(lines: readonly string[]): Language | undefined {
  const probe = lines.slice(0, PROBED_LINES).filter((line) => line.trim() !== '' && line.length <= MAX_PROBED_CHARS);
  if (probe.length < MIN_HITS * 2) return undefined;
  const endings = probe.filter((line) => ';{}(),:[]>'.includes(line.trimEnd().at(-1) ?? 'x')).length;
  if (endings < probe.length * MIN_ENDINGS) return undefined;
  let best: { language: Language; hits: number } | undefined;
  for (const [language, pattern] of EVIDENCE) {
    const hits = probe.filter((line) => pattern.test(line)).length;
    if (hits > (best?.hits ?? 0)) best = { language, hits };
  }
  return best !== undefined && best.hits >= Math.max(MIN_HITS, probe.length * MIN_SHARE) ? best.language : undefined;
}
