/** A model that classifies texts, in a thread of its own, as what a reward asks. */
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PluginError } from '../../../../src/errors.ts';
import type { Values } from '../../../../src/options/keys.ts';
import type { RewardValues } from '../../../../src/rewards/reward_function.ts';
import { type AskedCompletion, AskedReward, type Scorer } from '../elsewhere/asked_reward.ts';
import { CLASSIFIER, CLASSIFIER_OPTIONS } from '../functions/classifier.ts';
import { refusal, type SandboxHost, SandboxThread } from '../sandbox/sandbox_thread.ts';
import type { ClassifierQuestion, ClassifierStart } from './classifier.node.ts';

/** What decides what the model gives; the tokenizer's second file is not needed by all. */
const NEEDED = ['config.json', 'tokenizer.json', 'onnx/model.onnx'];
const FILES = [...NEEDED, 'tokenizer_config.json', 'onnx/model.onnx_data'];
/** Time to load a model, however short the limit of a question is. */
const LOAD_SECONDS = 300;

/**
 * The files of a model that decide what it gives, by their names in its folder.
 *
 * @param written  the folder as the config names it
 * @throws PluginError `rule; remedy` where it is none
 */
export function filesOfModel(folder: string, written: string): readonly string[] {
  const remedy = `name a folder with ${NEEDED.join(', ')}, as optimum-cli export onnx makes one`;
  const refuse = (rule: string): never => {
    throw refusal(`${rule}; ${remedy}`, { key: 'model', value: written });
  };
  if (!existsSync(folder)) refuse(`no such folder (${folder})`);
  if (!statSync(folder).isDirectory()) refuse('a file, not the folder of a model');
  const lacks = NEEDED.filter((file) => !existsSync(join(folder, file)));
  if (lacks.length > 0) refuse(`its folder has no ${lacks.join(', ')}`);
  return FILES.filter((file) => existsSync(join(folder, file)));
}

export class ClassifierScorer implements Scorer {
  readonly source: string;
  /** What is read before the completion. */
  readonly #before: 'nothing' | 'prompt' | 'answer';
  readonly #thread: SandboxThread;
  readonly #timeout: number;
  readonly #shown: string;

  /**
   * @param folder  absolute
   * @param hashes  of its files, by their names
   * @param openThread  starts a thread; `make` gives the run's end of it
   * @param library  what is imported for @huggingface/transformers
   */
  constructor(
    folder: string,
    hashes: readonly (readonly [string, string])[],
    { model, label, pays, reads, timeout }: Values<typeof CLASSIFIER_OPTIONS>,
    openThread: (start: ClassifierStart, make: (host: SandboxHost) => SandboxThread) => SandboxThread,
    library = '@huggingface/transformers',
  ) {
    const sum = createHash('sha256').update(JSON.stringify(hashes)).digest('hex').slice(0, 12);
    this.source = `the model ${basename(folder)} (${sum}${label === undefined ? '' : `, ${label}`}${pays === 'likeness' ? ', likeness' : ''})`;
    this.#shown = model;
    const isCompared = pays === 'likeness' || reads === 'reference';
    this.#before = reads === 'both' ? 'prompt' : isCompared ? 'answer' : 'nothing';
    this.#timeout = timeout;
    this.#thread = openThread(
      { kind: 'classifier', folder, label, pays, isCompared: this.#before !== 'nothing', library },
      (host) => new SandboxThread(host, { load: Math.max(LOAD_SECONDS, timeout), score: timeout }),
    );
  }

  async open(): Promise<void> {
    await this.#thread.load(undefined);
  }

  async ask(completions: readonly AskedCompletion[]): Promise<RewardValues> {
    const answer = await this.#thread.ask(this.#timeout, this.#question(completions));
    if (answer.type === 'late')
      throw this.#failed(`gave nothing within ${this.#timeout} s`, 'raise timeout, or lower batch_size');
    if (answer.type === 'ended') throw this.#failed(answer.reason, 'see to its model');
    const { reply } = answer;
    if (reply.type === 'scores') return reply.values as RewardValues; // numbers of the worker; scoreRewards looks at them
    throw this.#failed(reply.type === 'threw' ? `failed (${reply.thrown})` : `said ${reply.type}`, 'see to its model');
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  #question(completions: readonly AskedCompletion[]): ClassifierQuestion {
    const texts = completions.map(({ completion }) => completion);
    if (this.#before === 'nothing') return { texts };
    const isAnswer = this.#before === 'answer';
    return { texts, before: completions.map(({ prompt, item }) => (isAnswer ? item.answer : prompt)) };
  }

  #failed(what: string, remedy: string): PluginError {
    const message = `reward "${CLASSIFIER}" (${this.#shown}): ${what} — ${remedy}, then resume: nothing sampled is lost.`;
    return new PluginError('reward-server', message, { model: this.#shown });
  }
}

/** The reward of a model, with the arguments of `ClassifierScorer`; nothing is asked before it is opened. */
export function classifierReward(
  ...given: ConstructorParameters<typeof ClassifierScorer>
): AskedReward & { close(): Promise<void> } {
  const scorer = new ClassifierScorer(...given);
  return Object.assign(new AskedReward(CLASSIFIER, scorer, given[2].batchSize), { close: () => scorer.close() });
}

export { CLASSIFIER_OPTIONS };
