/** Samples the completions of requests, with the stage's token controls and each request's temperature. */
import type { TaskItem } from '../../data/task.ts';
import { type GroupRequest, withPlaces } from '../../methods/group_request.ts';
import { keepsForward } from '../../methods/sampling_modes/modes.ts';
import type { Completion, KeptGeneration } from '../../model/sampling/generation.ts';
import type { Engine } from '../engine.ts';
import type { Journal } from '../journal.ts';
import type { Step } from '../step.ts';
import { sampleItems } from './complete.ts';
import { tokenControl } from './control_tokens.ts';
import { type AskedOf, samplingParams } from './sampling_params.ts';
import { wantsOf } from './wants.ts';

/**
 * [requests][samples]; rollouts are numbered on.
 *
 * @param upcoming  problems that will likely be asked next, as the stage asks them
 */
export async function sampleRequests(
  engine: Engine,
  step: Step,
  { state }: Journal,
  requests: readonly GroupRequest[],
  upcoming: readonly TaskItem[] = [],
): Promise<KeptGeneration> {
  const { stage } = step;
  const items = requests.map(({ item }) => item);
  const wants = wantsOf(step.methods.uses);
  const parts = partsOf(requests, stage.sampling.temperature);
  const sampled = requests.map((): Completion[] => []);
  for (const { asked, isWhole, places } of parts) {
    const partRequests = isWhole ? requests : requests.map((request, r) => withPlaces(request, places[r]));
    const controlled = tokenControl(engine, step, asked.temperature);
    const firstRollout = state.rolloutsDrawn;
    const samples = partRequests.map((request) => request.samples);
    state.rolloutsDrawn += samples.reduce((sum, count) => sum + count, 0);
    const generation = await sampleItems(engine, items, {
      ...samplingParams(step, asked),
      stage,
      wants,
      firstRollout,
      samples,
      prompts: partRequests.map(({ prompt }) => prompt),
      prefixes: partRequests.map(({ prefixes }) => prefixes),
      expertShares: partRequests.map(({ expertShare = 0 }) => expertShare),
      keep: controlled === undefined && keepsForward(stage), // of a part, too: it leaves what was kept before it
      control: controlled?.control,
      ...(isWhole && upcoming.length > 0 && { upcoming: { items: upcoming, samples: stage.batch.numGenerations } }),
    });
    controlled?.acts.log(samples.reduce((sum, count) => sum + count, 0));
    if (isWhole) return generation;
    generation.completions.forEach((some, r) => {
      some.forEach((completion, k) => {
        sampled[r][places[r][k]] = asked.temperature === 0 ? sure(completion) : completion;
      });
    });
  }
  return { completions: sampled, places: undefined };
}

/** Completions sampled with the same parameters. */
interface Part {
  readonly asked: AskedOf;
  /** The part is every completion, with the stage's own parameters. */
  readonly isWhole: boolean;
  /** [requests][] indices of these completions within their request. */
  readonly places: readonly (readonly number[])[];
}

/** Splits requests by temperature, then by turn length. @param usual  temperature of the stage */
function partsOf(requests: readonly GroupRequest[], usual: number): readonly Part[] {
  const params = requests.map(({ samples, temperatures, turnTokens }) =>
    Array.from({ length: samples }, (_, i): AskedOf => ({ temperature: temperatures?.[i] ?? usual, turnTokens })),
  );
  const limits = [...new Set(requests.map(({ turnTokens }) => turnTokens))];
  const temperatures = [...new Set(params.flat().map(({ temperature }) => temperature))].sort((a, b) => a - b);
  const isWhole = limits.every((limit) => limit === undefined) && temperatures.every((each) => each === usual);
  if (isWhole) return [{ asked: { temperature: usual, turnTokens: undefined }, isWhole, places: [] }];
  return temperatures.flatMap((temperature) =>
    limits.map(
      (turnTokens): Part => ({
        asked: { temperature, turnTokens },
        isWhole,
        places: params.map((requestParams) =>
          requestParams.flatMap((one, i) =>
            one.temperature === temperature && one.turnTokens === turnTokens ? [i] : [],
          ),
        ),
      }),
    ),
  );
}

/** A greedy completion, which has probability 1. */
function sure(completion: Completion): Completion {
  return { ...completion, logprobs: new Float32Array(completion.tokens.length) };
}
