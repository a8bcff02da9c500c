/** A row of packages/zoo/catalogue/papers/: a published system, what it proposes, and what of it is here. */

export interface System {
  /** As its paper calls it; further names after a slash or in brackets. */
  readonly name: string;
  /** Its number at arXiv, where it is known. */
  readonly arxiv?: string;
  /** What it proposes. */
  readonly does: string;
  /** What it is made of, by names apart by spaces: methods, rewards, tasks and figures of this package, or of mechanisms.yaml. */
  readonly uses: string;
  /** Lines of a config, at its top, that run what is here. */
  readonly keys?: readonly string[];
  /** What its config begins with, a name in bases.yaml; absent: `partial`. */
  readonly base?: string;
  /**
   * The figure that its paper claims to move, and where to: `up` and `down` beside the same training without the system,
   * `rises` from what reinforcement began with. Absent: `sampled up`, or `sampled rises` for a task or a figure alone.
   */
  readonly claims?: string;
  /** What these lines need that a small model and a task of the package do not have. */
  readonly needs?: string;
  /** Nothing of it is built: what is nearest to it here, as the end of a sentence. */
  readonly nearest?: string;
  /** What of it transfers to text on a device. */
  readonly transfers?: string;
  /** What is otherwise here than in the paper, though all of its parts are here. */
  readonly differs?: string;
  /** Why nothing of it is built. */
  readonly why?: string;
}

/** A table of docs/systems.md. */
export interface Subject {
  readonly title: string;
  readonly systems: readonly System[];
}

/** What a config of systems begins with. */
export interface Base {
  /** The kind of start, a sentence. */
  readonly says: string;
  /** Lines of a config, at its top. */
  readonly lines: readonly string[];
}

/** Figures of held-out problems, a value for each seed; of a config, those that papers claim to move. */
export interface ShownFigures {
  /** Share of held-out problems whose greedy answer is right. */
  readonly greedy?: readonly number[];
  /** Share of sampled answers that are right. */
  readonly sampled?: readonly number[];
  /** Share of problems that one of the samples solves. */
  readonly pass?: readonly number[];
  /** Tokens of an answer. */
  readonly length?: readonly number[];
  /** Nats of a token; absent as reinforcement begins. */
  readonly entropy?: readonly number[];
}

/** A config of systems as it ships, and without what the system proposes, from the same seeds. */
export interface Shown {
  /** `start`: as reinforcement began; `seconds`: of one thread, for a seed. */
  readonly own: ShownFigures & { readonly start: ShownFigures; readonly seconds: number };
  readonly plain: ShownFigures;
}

/**
 * What a system is made of, where it has another name here than the catalogue's, or is here only in part. Any other
 * mechanism is here where a method, a reward, a task or a figure has its name, and missing until one has.
 */
export interface Mechanism {
  /**
   * What it is here, apart by spaces: methods, rewards, tasks, figures; `key:NAME` of a config, `stages:sft` or
   * `stages:several`, `category:NAME` of tasks, `page:PAGE` of docs/. A config has it if it has one of them.
   */
  readonly by: string;
  /** What of it is not here; absent: nothing. */
  readonly lacks?: string;
}
