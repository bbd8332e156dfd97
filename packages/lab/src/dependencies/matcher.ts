/** Which of many strings a text contains, in one pass over it (Aho and Corasick, 1975). */

const ROOT = 0;

export class StringMatcher {
  readonly #classes = new Map<number, number>();
  readonly #edges = new Map<number, number>();
  readonly #span: number;
  /** By node: where to go on when no edge fits. */
  readonly #fail: Int32Array;
  /** By node: the string that ends here, or -1. */
  readonly #ends: Int32Array;
  /** By node: the nearest node on the way of `fail` where a string ends, or ROOT. */
  readonly #shorter: Int32Array;
  /** By string: the last scan that met it. */
  readonly #stamps: Int32Array;
  #scan = 0;

  /** `strings`: distinct, none of them empty; a match is named by its index. */
  constructor(strings: readonly string[]) {
    for (const text of strings)
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (!this.#classes.has(code)) this.#classes.set(code, this.#classes.size);
      }
    this.#span = this.#classes.size;
    const ends = this.#build(strings);
    this.#ends = Int32Array.from(ends);
    this.#fail = new Int32Array(ends.length);
    this.#shorter = new Int32Array(ends.length);
    this.#stamps = new Int32Array(strings.length);
    this.#link();
  }

  #build(strings: readonly string[]): number[] {
    const ends: number[] = [-1];
    strings.forEach((text, index) => {
      let node = ROOT;
      for (let at = 0; at < text.length; at += 1) {
        const edge = node * this.#span + (this.#classes.get(text.charCodeAt(at)) as number);
        let next = this.#edges.get(edge);
        if (next === undefined) {
          next = ends.length;
          ends.push(-1);
          this.#edges.set(edge, next);
        }
        node = next;
      }
      ends[node] = index;
    });
    return ends;
  }

  /** Links by breadth: a shorter beginning is linked before a longer one needs it. */
  #link(): void {
    const children: (readonly [number, number])[][] = Array.from({ length: this.#ends.length }, () => []);
    for (const [edge, next] of this.#edges) children[Math.floor(edge / this.#span)]?.push([edge % this.#span, next]);
    const queue = [ROOT];
    for (const node of queue) {
      for (const [kind, next] of children[node] ?? []) {
        const fail = node === ROOT ? ROOT : this.#step(this.#fail[node] as number, kind);
        this.#fail[next] = fail;
        this.#shorter[next] = this.#ends[fail] === -1 ? (this.#shorter[fail] as number) : fail;
        queue.push(next);
      }
    }
  }

  #step(from: number, kind: number): number {
    let node = from;
    for (;;) {
      const next = this.#edges.get(node * this.#span + kind);
      if (next !== undefined) return next;
      if (node === ROOT) return ROOT;
      node = this.#fail[node] as number;
    }
  }

  /** Indices of the strings `text` contains, each once. */
  matches(text: string): readonly number[] {
    this.#scan += 1;
    const found: number[] = [];
    let node = ROOT;
    for (let at = 0; at < text.length; at += 1) {
      const kind = this.#classes.get(text.charCodeAt(at));
      node = kind === undefined ? ROOT : this.#step(node, kind);
      if (node !== ROOT) this.#collect(node, found);
    }
    return found;
  }

  #collect(from: number, found: number[]): void {
    let node = this.#ends[from] === -1 ? (this.#shorter[from] as number) : from;
    while (node !== ROOT) {
      const index = this.#ends[node] as number;
      // What is shorter was met with it.
      if (this.#stamps[index] === this.#scan) return;
      this.#stamps[index] = this.#scan;
      found.push(index);
      node = this.#shorter[node] as number;
    }
  }
}
