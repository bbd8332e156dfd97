/**
 * Lens: per agent, a table from tool call to facts. Rules about files or commands use facts only, so the same engine
 * serves any tool set.
 */

/** Lines of a file, counted from 1, both ends included; `to` is Infinity for "to the end". */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** A file a call is about. The path is as the model wrote it. */
export interface FilePart {
  readonly path: string;
  /** What was asked for; absent: the whole file. */
  readonly lines?: LineRange;
}

/** The files a command shows. Paths are as the model wrote them: they may be relative to a folder of the shell's own. */
export interface Prints {
  readonly paths: readonly string[];
  /** Whether that is all of its output, and whole stretches of the files. */
  readonly isVerbatim: boolean;
}

/** What one tool call did, or tried to. `also` holds the further files of a call that is about several. */
export type Fact =
  | ({ readonly kind: 'read' | 'wrote' | 'edited'; readonly also?: readonly FilePart[] } & FilePart)
  | {
      readonly kind: 'ran';
      readonly command: string;
      /** The files it shows lines of, by its words: `cat a.ts`, `sed -n '1,9p' a.ts`, `grep x a.ts`. */
      readonly prints?: Prints;
    }
  | { readonly kind: 'searched'; readonly query: string; readonly path?: string }
  | { readonly kind: 'fetched'; readonly url: string }
  | { readonly kind: 'called'; readonly name: string };

/** A result as a lens sees it. `isError` is false where the wire format has no word for it: then the text has to say so. */
export interface LensResult {
  /** Of the tool. */
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

/** How a call ended. Read off the ends of a result: cheap at any length. */
export interface Outcome {
  readonly isError: boolean;
  /** Exit status of a command, where the result states it. */
  readonly exitCode?: number;
  /** The last line a read gave, where it gave less than was asked for; 0 where it only points at an older result. */
  readonly lastLine?: number;
}

/** Reads facts off calls by the tool's name and input, and outcomes off results. Pure; must not throw, whatever the input. */
export interface Lens {
  readonly name: string;
  call(name: string, input: unknown): Fact;
  /** @default the flag of the result */
  outcome?(fact: Fact, result: LensResult): Outcome;
}
