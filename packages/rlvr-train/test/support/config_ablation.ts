/** A shipped config with a small policy, and the same without its methods. */

import { parse, stringify } from 'yaml';
import { METHOD_KEYS } from '../../../../src/config/keys/method_keys.ts';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { METHOD_POINTS } from '../../../../src/methods/stage.ts';
import { METHODS, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { type Outcome, outcomeOf, type Verdict, verdictOf } from '../../../zoo/test/support/ablation.ts';
import { createTasks } from '../../index.ts';

export interface AblatedConfig {
  /** Undefined where its model is not here. */
  readonly own?: Outcome;
  /** Undefined where it names no method. */
  readonly plain?: Outcome;
  readonly verdict: Verdict | 'no methods' | 'not tried';
}

type Keys = Readonly<Record<string, unknown>>;

const OF_METHODS = new Set([...Object.values(METHOD_KEYS).map(({ yaml }) => yaml), 'demonstrations']);

/** Methods that move no weight, by intent. */
const MEASURING = new Set(
  METHOD_POINTS.flatMap((point) =>
    METHODS[point].flatMap(({ id, onlyMeasures }) => (onlyMeasures || point === 'evaluationFigures' ? [id] : [])),
  ),
);

const isMeasuring = (entry: unknown): boolean =>
  MEASURING.has(typeof entry === 'string' ? entry : String((entry as { readonly name?: unknown } | null)?.name));

/** How far a config is cut: less where nothing is learned from, and then its model is its own. */
interface Cut {
  /** Of each stage of reinforcement, at most. */
  readonly steps: number;
  /** Of each supervised stage. */
  readonly supervised: number;
  readonly keepsModel?: true;
}

/** @param steps  of each stage of reinforcement, at most */
export async function ablateConfig(backend: Backend, text: string, steps: number): Promise<AblatedConfig> {
  const given: Keys = parse(text);
  if (given.model_name_or_path !== undefined) return { verdict: 'not tried' };
  const bare = withoutMethods(given);
  const trained = (keys: Keys, cut: Cut) => outcomeOf(() => opened(backend, small(keys, cut)));
  const little: Cut = { steps, supervised: 5 * steps };
  const more: Cut = { steps, supervised: 25 * steps, keepsModel: true };
  const first = await trained(given, little);
  const cut = first.sha256 === undefined && Array.isArray(given.stages) ? more : little;
  const own = cut === little ? first : await trained(given, cut);
  if (stringify(bare) === stringify(given)) return { own, verdict: 'no methods' };
  const plain = await trained(bare, cut);
  return { own, plain, verdict: verdictOf(own, plain) };
}

function withoutMethods({ stages, ...top }: Keys): Keys {
  const stripped = (keys: Keys): Keys =>
    Object.fromEntries(
      Object.entries(keys).flatMap(([key, value]) => {
        if (!OF_METHODS.has(key)) return [[key, value]];
        const kept = Array.isArray(value) ? value.filter(isMeasuring) : [];
        return kept.length > 0 ? [[key, kept]] : [];
      }),
    );
  return { ...stripped(top), ...(Array.isArray(stages) && { stages: stages.map(stripped) }) };
}

const SMALL = { hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 64 };

/** With few steps, and half of the problems of a batch of 128. */
function small({ stages, ...top }: Keys, { steps, supervised, keepsModel }: Cut): string {
  const capped = (keys: Keys, most: number): Keys =>
    typeof keys.max_steps === 'number' ? { ...keys, max_steps: Math.min(keys.max_steps, most) } : keys;
  const stage = (keys: Keys): Keys => capped(keys, keys.stage === 'sft' ? supervised : steps);
  const { generation_batch_size: batch, per_device_train_batch_size: micro, num_generations: group = 8 } = top;
  return stringify({
    ...capped(top, steps),
    ...(batch === 128 && { generation_batch_size: 64 }),
    ...(typeof micro === 'number' && { per_device_train_batch_size: Math.min(micro, 2 * Number(group)) }),
    ...(Array.isArray(stages) && { stages: stages.map(stage) }),
    eval_strategy: 'no',
    ...((top.model === undefined || !keepsModel) && { model: SMALL }),
  });
}

async function opened(backend: Backend, yaml: string) {
  const { config } = parseConfig(yaml, { file: 'config' });
  return openRun(config, await createTasks(config, { heldOutSample: 2 }), backend, {});
}
