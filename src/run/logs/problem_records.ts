/**
 * `evaluations/`: what the policy answered to each held-out problem.
 *
 *   baseline.jsonl, best.jsonl, final.jsonl   a line that says what was asked and how, then a line a problem
 *   counts.jsonl                              a line an evaluation: solved greedily (0 or 1), and right samples, by problem
 *   answers.jsonl                             a line an evaluation: the greedy answers to the same few problems
 *
 * Problems are in one order in all of them. `final` is of the weights that the run ended with, `best` of those of its best
 * evaluation. A run that is resumed writes again what it does again.
 */
import { evaluationSampling } from '../../grpo/evaluate.ts';
import type { EvaluationEvent } from '../../grpo/events.ts';
import type { Progress } from '../../grpo/run.ts';
import type { ProblemRecord } from '../../methods/points.ts';
import type { SamplingConfig } from '../../methods/stage.ts';
import type { Plugin } from '../../options/keys.ts';
import type { Verdict } from '../../rewards/verdict.ts';
import { isBestNow } from '../checkpoint/best_weights.ts';
import { sha256Hex } from '../fingerprint/sha256.ts';
import { parseJsonObject } from '../json.ts';
import type { Store } from '../store/store.ts';
import type { KeptMoment } from './kept_moments.ts';

const FOLDER = 'evaluations';
const COUNTS = `${FOLDER}/counts.jsonl`;
const ANSWERS = `${FOLDER}/answers.jsonl`;
/** Problems whose answers are kept at every evaluation, spread evenly over all. */
const FOLLOWED = 24;
export const recordFile = (moment: KeptMoment): string => `${FOLDER}/${moment}.jsonl`;

/** The questions, how they were asked, and the weights. */
export interface RecordHead {
  readonly version: 1;
  readonly stageIndex: number;
  readonly stage: 'sft' | 'grpo';
  readonly step: number;
  /** As in the config, knobs included. */
  readonly tasks: readonly { readonly task: Plugin; readonly weight: number }[];
  /** SHA-256 of the keys of the problems, in order. */
  readonly problems: string;
  readonly count: number;
  readonly samples: number;
  readonly sampling: SamplingConfig;
  readonly seed: number;
}

type KeptVerdict = Pick<Verdict, 'score' | 'status' | 'failure' | 'canonical'>;

/** The record of a problem. */
export interface KeptProblem extends Pick<ProblemRecord, 'key' | 'weight' | 'prompt' | 'task' | 'level'> {
  /** With its tokens counted. */
  readonly greedy: KeptVerdict & { readonly text: string; readonly length: number };
  /** With the ids of their tokens, and the log-prob of all of these together. */
  readonly samples: readonly (KeptVerdict & { readonly tokens: readonly number[]; readonly logprob: number })[];
}

export interface KeptRecords {
  readonly head: RecordHead;
  readonly problems: readonly KeptProblem[];
}

/** Keeps the records of the newest evaluation, or only their counts. */
export async function keepRecords(run: Progress, store: Store, event: EvaluationEvent): Promise<void> {
  const { moment } = event;
  if (moment === 'requested') return; // nobody can know of it afterwards
  const written: KeptMoment[] = [
    ...(moment === 'periodic' ? [] : [moment]),
    ...(isBestNow(run) ? (['best'] as const) : []),
  ];
  if (written.length > 0) {
    const bytes = new TextEncoder().encode(await textOf(run, event));
    for (const keptMoment of written) await store.writeAtomic(recordFile(keptMoment), bytes);
  }
  const { problems } = event;
  const isRight = ({ score }: { readonly score: number | null }): boolean => score === 1;
  await keepLine(run, store, COUNTS, event, {
    greedy: problems.map(({ greedy }) => Number(isRight(greedy))).join(''),
    right: problems.map(({ samples }) => samples.filter(isRight).length),
  });
  const apart = Math.ceil(problems.length / FOLLOWED);
  const followed = problems.filter((_, i) => i % apart === 0);
  await keepLine(run, store, ANSWERS, event, {
    answers: followed.map(({ prompt, greedy: { status }, greedyAnswer: { text, tokens } }) => {
      return { prompt, text, status, length: tokens.length };
    }),
  });
}

/** Keeps the records of the evaluation that turned out to be the last. */
export async function keepFinal(run: Progress, store: Store, event: EvaluationEvent): Promise<void> {
  await store.writeAtomic(recordFile('final'), new TextEncoder().encode(await textOf(run, event)));
}

async function textOf({ config, journal: { state } }: Progress, { step, problems }: EvaluationEvent): Promise<string> {
  const stage = config.stages[state.stageIndex];
  const head: RecordHead = {
    version: 1,
    stageIndex: state.stageIndex,
    stage: stage.stage,
    step,
    tasks: config.tasks,
    problems: await sha256Hex(new TextEncoder().encode(JSON.stringify(problems.map(({ key }) => key)))),
    count: problems.length,
    samples: stage.evaluation.samples,
    sampling: evaluationSampling(stage),
    seed: config.seed,
  };
  return [head, ...problems.map(keptProblem)].map((line) => `${JSON.stringify(line)}\n`).join('');
}

function keptProblem(problem: ProblemRecord): KeptProblem {
  const { key, weight, prompt, task, level, greedy, greedyAnswer, samples, answers } = problem;
  const verdictOf = ({ score, status, failure, canonical }: Verdict): KeptVerdict => {
    return { score, status, ...(failure !== undefined && { failure }), ...(canonical !== undefined && { canonical }) };
  };
  return {
    key,
    weight,
    prompt,
    ...(task !== undefined && { task }),
    ...(level !== undefined && { level }),
    greedy: { ...verdictOf(greedy), text: greedyAnswer.text, length: greedyAnswer.tokens.length },
    samples: samples.map((own, i) => ({
      ...verdictOf(own),
      tokens: [...answers[i].tokens],
      logprob: Number(answers[i].logprob.toPrecision(7)),
    })),
  };
}

/** Adds a line of an evaluation, and drops those at or after its place, which a resume before them leaves behind. */
async function keepLine(
  { journal: { state } }: Progress,
  store: Store,
  file: string,
  { moment, step }: EvaluationEvent,
  record: object,
): Promise<void> {
  const { stageIndex } = state;
  const before = new TextDecoder()
    .decode(await store.read(file))
    .split('\n')
    .filter((line) => {
      const earlier = parseJsonObject(new TextEncoder().encode(line));
      if (earlier === undefined) return false;
      const place = [Number(earlier.stageIndex), Number(earlier.step)];
      return place[0] < stageIndex || (place[0] === stageIndex && place[1] < step);
    });
  const line = JSON.stringify({ stageIndex, step, evaluation: moment, ...record });
  await store.writeAtomic(file, new TextEncoder().encode([...before, line, ''].join('\n')));
}
