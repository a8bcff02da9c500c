/**
 * Whether two problems are one to their players, whatever their keys say: they are asked in the same words, and what
 * a perfect player does leads to the same answers in both. Where he does not win, what random play shows counts too.
 */
import type { BoundEnvironment } from '../../../../src/data/environment.ts';
import { bindEnvironment, playEpisode } from '../../../../src/data/play.ts';
import type { AnyTaskDefinition, Knobs, TaskItem } from '../../../../src/data/task.ts';

/** Chance of a second episode. */
const FURTHER = 'further';

/** Problems of a task at its knobs, found again by what is shown of them. */
export class ShownProblems {
  readonly #definition: AnyTaskDefinition;
  readonly #knobs: Knobs;
  readonly #environment: BoundEnvironment | undefined;
  /** By the words that they are asked with; `byWay` is made once another problem is asked with the same. */
  readonly #asked = new Map<string, { readonly all: readonly TaskItem[]; byWay?: ReadonlyMap<string, TaskItem[]> }>();

  constructor(definition: AnyTaskDefinition, knobs: Knobs, problems: readonly TaskItem[]) {
    this.#definition = definition;
    this.#knobs = knobs;
    this.#environment = definition.environment && bindEnvironment(definition.environment, 'shown', knobs);
    for (const [words, all] of grouped(problems, (problem) => this.#words(problem))) this.#asked.set(words, { all });
  }

  /** One of them that is the same as a problem to a perfect player, who is shown nothing off his way. */
  like(problem: TaskItem): TaskItem | undefined {
    for (const words of this.#words(problem)) {
      const same = this.#asked.get(words);
      if (same === undefined) continue;
      same.byWay ??= grouped(same.all, (one) => [this.#played(one, 'expert').said]);
      const alike = same.byWay.get(this.#played(problem, 'expert').said) ?? [];
      const found = alike.find((one) => this.#furtherWays(one) === this.#furtherWays(problem));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Those that are the same as one before them to every player, who may leave the perfect one's way. */
  doubled(): TaskItem[] {
    const seen = new Set<string>();
    return [...this.#asked].flatMap(([words, { all }]) =>
      all.filter((problem) => {
        if (all.length === 1) return false;
        const ways = [this.#played(problem, 'expert').said, this.#furtherWays(problem), this.#randomWays(problem)];
        return seen.size === seen.add(JSON.stringify([words, ...ways])).size;
      }),
    );
  }

  #words({ identity, prompt }: TaskItem): string[] {
    const question = this.#definition.question?.(identity, this.#knobs);
    return question === undefined || question === prompt ? [prompt] : [prompt, question];
  }

  #furtherWays(problem: TaskItem): string {
    const { said, isWon } = this.#played(problem, 'expert', FURTHER);
    return isWon ? said : said + this.#randomWays(problem);
  }

  #randomWays(problem: TaskItem): string {
    return this.#played(problem, 'random').said + this.#played(problem, 'random', FURTHER).said;
  }

  /** An episode. Chance is the same for all problems. */
  #played(
    problem: TaskItem,
    player: 'expert' | 'random',
    stream = '',
  ): { readonly said: string; readonly isWon: boolean } {
    const environment = this.#environment;
    if (environment === undefined) return { said: '', isWon: true };
    const keyless = { ...problem, key: '' }; // chance goes by key
    const { turns, verdict } = playEpisode(environment, keyless, stream, (state, turn) =>
      environment.act(player, keyless, { state, turn, illegal: 0 }, stream),
    );
    return { said: JSON.stringify([turns, verdict.score]), isWon: verdict.score === 1 };
  }
}

function grouped<T>(all: readonly T[], namesOf: (one: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) for (const name of namesOf(one)) groups.set(name, [...(groups.get(name) ?? []), one]);
  return groups;
}
