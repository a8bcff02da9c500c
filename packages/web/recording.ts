/** A run as a page replays it: the figures of each evaluation, and what was answered to the same few held-out problems. */
import type { AnswerSearch } from '../zoo/methods/support/figures/read_tries.ts';

export interface RecordedAnswer {
  readonly text: string;
  readonly isRight: boolean;
  /** In tokens. */
  readonly length: number;
  /** Its tries; absent where answers do not search. */
  readonly search?: AnswerSearch | undefined;
}

/** An evaluation of the run. */
export interface RecordedMoment {
  readonly stage: 'sft' | 'grpo';
  readonly step: number;
  /** Of training and evaluating since the run began. */
  readonly seconds: number;
  /** Shares of all held-out problems that are solved. */
  readonly greedy: number;
  readonly sampled: number;
  /** To the problems, in their order. */
  readonly answers: readonly RecordedAnswer[];
}

export interface Recording {
  readonly seed: number;
  readonly commit?: string | undefined;
  /** Absent where it is this browser's own. */
  readonly hardware?: string | undefined;
  readonly parameters?: number | undefined;
  /** How many held-out problems each evaluation asks; absent where it is not known. */
  readonly problems?: number | undefined;
  readonly seconds: number;
  readonly prompts: readonly string[];
  readonly moments: readonly RecordedMoment[];
}

/** The share of the problems that a run follows which is shown: every third, so nobody chose them by what became of them. */
const ONE_IN = 3;

type Json = Readonly<Record<string, unknown>>;

/** Lines of a run's logs. */
export interface RecordedLogs {
  /** metrics.jsonl */
  readonly metrics: readonly Json[];
  /** evaluations/answers.jsonl */
  readonly answers: readonly Json[];
  readonly stages: readonly RecordedMoment['stage'][];
  readonly searchOf?: (prompt: string, text: string) => AnswerSearch;
}

/** The replayed part of a run's logs. Evaluations without figures, and those that begin a later stage, are left out. */
export function recordedOf({
  metrics,
  answers,
  stages,
  searchOf,
}: RecordedLogs): Pick<Recording, 'seconds' | 'prompts' | 'moments'> {
  const shown = (line: Json | undefined) =>
    ((line?.answers ?? []) as readonly (Omit<RecordedAnswer, 'isRight'> & { prompt: string; status: string })[]).filter(
      (_, i) => i % ONE_IN === 0,
    );
  let seconds = 0;
  const until = new Map<Json, number>();
  for (const line of metrics) {
    seconds += Number(line.step_time ?? 0) + Number(line.eval_runtime ?? 0);
    until.set(line, rounded(seconds)); // a page's run may take less than one
  }
  const moments = answers.flatMap((line, i): RecordedMoment[] => {
    const { step, evaluation } = line;
    const stage = stages[Number(line.stageIndex)];
    const figures = metrics.find((one) => one.stage === stage && one.step === step && one.evaluation === evaluation);
    const sampled = Object.keys(figures ?? {}).find((key) => /^eval_mean@\d+$/.test(key));
    if (stage === undefined || figures === undefined || sampled === undefined) return [];
    if (evaluation === 'baseline' && i > 0) return []; // of the weights that the stage before ended with
    return [
      {
        stage,
        step: Number(step),
        seconds: until.get(figures) ?? 0,
        greedy: rounded(figures.eval_accuracy),
        sampled: rounded(figures[sampled]),
        answers: shown(line).map(({ prompt, text, status, length }) => ({
          text,
          isRight: status === 'correct',
          length,
          search: searchOf?.(prompt, text),
        })),
      },
    ];
  });
  return { seconds: rounded(seconds), prompts: shown(answers[0]).map(({ prompt }) => prompt), moments };
}

function rounded(value: unknown): number {
  return Number(Number(value).toFixed(4));
}
