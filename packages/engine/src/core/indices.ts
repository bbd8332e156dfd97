/** A list of indices that only grows, four bytes each: one for every entry of a history. */
export class Indices {
  #values = new Int32Array(64);
  #length = 0;

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const more = new Int32Array(Math.ceil(this.#length * 1.5));
      more.set(this.#values);
      this.#values = more;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  at(index: number): number | undefined {
    return index < this.#length ? this.#values[index] : undefined;
  }
}
