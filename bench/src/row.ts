/** What a case measures. */

/** One line of the table: the values of one subject in one section. */
export interface Row {
  readonly section: string;
  readonly who: string;
  /** Messages of the history, where the row is about one. */
  readonly size?: number;
  readonly values: Readonly<Record<string, number>>;
  /** Said behind the values, or instead of them. */
  readonly note?: string;
}

/** What a case is given. */
export interface CaseOptions {
  /** Messages, where the case has a size. */
  readonly size: number;
  /** Name of what is measured, where the case knows several. */
  readonly subject: string;
  /** Calls to time, at most. @default 240 */
  readonly calls?: number;
  /** Called once what is needed is made: the limit of a peer's time counts from here. */
  readonly begin: () => void;
}

/** One file of `cases` or `peers`. */
export interface Case {
  readonly run: (options: CaseOptions) => Promise<readonly Row[]>;
}

/** Calls timed where a call is quick. */
export const DEFAULT_CALLS = 240;
