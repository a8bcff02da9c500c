/** A list of numbers below 2^32 that grows, four bytes each. */
export class GrowingInts {
  #values = new Uint32Array(1024);
  #count = 0;

  push(value: number): void {
    if (this.#count === this.#values.length) {
      const longer = new Uint32Array(this.#values.length * 2);
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[this.#count++] = value;
  }

  at(index: number): number {
    return this.#values[index];
  }

  /** A copy of all of them. */
  taken(): Uint32Array {
    return this.#values.slice(0, this.#count);
  }
}
