/** What training comes to, with a part of a config and without it: the weights, and what the run says of its methods. */
import { COMBINATION, NEVER_ACTED } from '../../../../src/diagnostics/codes.ts';
import { RlvrError } from '../../../../src/errors.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';

export interface Outcome {
  /** Begins of the weights' SHA-256; undefined where the run is refused or stops, which `error` says. */
  readonly sha256?: string;
  readonly error?: string;
  /** Before step 1 and at the end of a stage. */
  readonly said: readonly string[];
  /** Tokens: words of a method are some more. */
  readonly vocabulary?: number;
}

/** Trains to the end, and closes the policy. */
export async function outcomeOf(open: () => Promise<TrainingRun>): Promise<Outcome> {
  const said: string[] = [];
  let run: TrainingRun | undefined;
  try {
    run = await open();
    for await (const event of train(run)) {
      if (event.type !== 'diagnosis') continue;
      const { code, message } = event.diagnosis;
      if (code === COMBINATION || code === NEVER_ACTED) said.push(message);
    }
    const sha256 = (await weightsSha256(run.engine.policy)).slice(0, 12);
    return { sha256, vocabulary: run.engine.tasks.codec.vocabSize, said };
  } catch (error) {
    if (!(error instanceof RlvrError)) throw error;
    return { error: error.message.split('\n')[0], said };
  } finally {
    await run?.engine.policy.close();
  }
}

/**
 * acts     the weights differ
 * said     they are equal, and the run says of a method that it does nothing there
 * SAME     they are equal, and nothing is said
 * FALSE    they differ, and the run says that a method changed nothing
 * refused  there are no weights
 */
export type Verdict = 'acts' | 'said' | 'SAME' | 'FALSE' | 'refused';

/** @param id  of the one method that is left out; absent: all of them are */
export function verdictOf(own: Outcome, plain: Outcome, id = ''): Verdict {
  if (own.sha256 === undefined) return 'refused';
  if (own.sha256 === plain.sha256) return own.said.some((text) => text.includes(id)) ? 'said' : 'SAME';
  const isSaidIdle = id !== '' && own.said.some((text) => text.includes(` ${id} changed nothing`));
  // With further tokens the model is another one, whatever the method does.
  return isSaidIdle && own.vocabulary === plain.vocabulary ? 'FALSE' : 'acts';
}
