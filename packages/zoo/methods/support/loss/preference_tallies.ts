/** Means over the pairs of an optimizer step, under TRL's names. */
export class PreferenceTallies {
  readonly #sums = new Map<string, { sum: number; count: number }>();

  clear(): void {
    this.#sums.clear();
  }

  pair(chosen: number, rejected: number): void {
    this.#add('rewards/chosen', chosen);
    this.#add('rewards/rejected', rejected);
    this.#add('rewards/accuracies', Number(chosen > rejected));
    this.#add('rewards/margins', chosen - rejected);
  }

  logprobs(chosen: number, rejected: number): void {
    this.#add('logps/chosen', chosen);
    this.#add('logps/rejected', rejected);
  }

  single(isChosen: boolean, reward: number, logprob: number): void {
    const side = isChosen ? 'chosen' : 'rejected';
    this.#add(`rewards/${side}`, reward);
    this.#add(`logps/${side}`, logprob);
  }

  means(): Record<string, number> {
    return Object.fromEntries([...this.#sums].map(([name, { sum, count }]) => [name, sum / count]));
  }

  #add(name: string, value: number): void {
    const tally = this.#sums.get(name) ?? { sum: 0, count: 0 };
    this.#sums.set(name, { sum: tally.sum + value, count: tally.count + 1 });
  }
}
