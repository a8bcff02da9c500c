/** Indexes prompts by two words of a hash each, which finds equal ones without keeping their texts. */
import { murmur3OfText } from '../../../../src/kernels/murmur3.ts';

const FREE = 0xffffffff;

/** A key that ignores differences in spaces and line breaks. */
export function promptKey(prompt: string): string {
  return prompt.replace(/[ \t\r\n]+/g, ' ').trim();
}

/** A key that also ignores spaces next to punctuation: `Reverse abc :`. */
export function looseKey(key: string): string {
  return key.replace(/ (?![\p{L}\p{N}])|(?<![\p{L}\p{N}]) /gu, '');
}

export class PromptIndex {
  readonly #digest = new Uint32Array(4);
  /** [slots, 3] two words of the hash, and the row. */
  #table = new Uint32Array(3 * 1024).fill(FREE);
  #count = 0;

  /**
   * @param isSame  whether an earlier row has this prompt @returns the row that has it; undefined if none has, and this
   * one is added
   */
  add(key: string, row: number, isSame: (other: number) => boolean): number | undefined {
    if (this.#count * 2 > this.#table.length / 3) this.#grow();
    murmur3OfText(key, this.#digest);
    const [first, second] = this.#digest;
    const slots = this.#table.length / 3;
    for (let slot = first % slots; ; slot = (slot + 1) % slots) {
      const at = slot * 3;
      const other = this.#table[at + 2];
      if (other === FREE) {
        this.#table.set([first, second, row], at);
        this.#count++;
        return undefined;
      }
      if (this.#table[at] === first && this.#table[at + 1] === second && isSame(other)) return other;
    }
  }

  #grow(): void {
    const before = this.#table;
    this.#table = new Uint32Array(before.length * 2).fill(FREE);
    const slots = this.#table.length / 3;
    for (let at = 0; at < before.length; at += 3) {
      if (before[at + 2] === FREE) continue;
      let slot = before[at] % slots;
      while (this.#table[slot * 3 + 2] !== FREE) slot = (slot + 1) % slots;
      this.#table.set(before.subarray(at, at + 3), slot * 3);
    }
  }
}
