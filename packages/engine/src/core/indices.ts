/** A list of whole numbers of 32 bits that only grows, four bytes each: where there is one for every entry of a history, or every line. */
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

  get length(): number {
    return this.#length;
  }

  at(index: number): number | undefined {
    return index >= 0 && index < this.#length ? this.#values[index] : undefined;
  }
}
