/** The keys of LoRA, as TRL and PEFT spell them, and the rules that combine them. */
import { z } from 'zod';
import { ADAPTER_TARGETS } from '../../model/adapter.ts';
import type { AdapterConfig } from '../../model/adapter_config.ts';
import { key, laterKey, type Values } from '../../options/keys.ts';
import { choice, flag, integer, number } from '../../options/schemas.ts';

const targetsRule = `must be all-linear, or a list of ${ADAPTER_TARGETS.join(', ')}; for example [q_proj, v_proj]`;

export const ADAPTER_KEYS = {
  usePeft: key(
    'use_peft',
    flag()
      .default(false)
      .describe('Train a low-rank adapter (LoRA) beside the weights of model_name_or_path, which stay as they are.'),
  ),
  loraR: key(
    'lora_r',
    integer({ min: 1, max: 1024, example: 16 })
      .default(16)
      .describe('Rank of the adapter: rows of A and columns of B.'),
  ),
  loraAlpha: key(
    'lora_alpha',
    number({ above: 0, example: 32 })
      .default(32)
      .describe('The adapter counts lora_alpha / lora_r times, or lora_alpha / √lora_r with use_rslora.'),
  ),
  useRslora: key(
    'use_rslora',
    flag().default(false).describe('Divide lora_alpha by the root of lora_r instead of by lora_r.'),
  ),
  useDora: laterKey(
    'use_dora',
    flag()
      .default(false)
      .describe(
        'Train the size of each output apart from its direction (DoRA): the rows of W + s·B·A are scaled to magnitudes, ' +
          'which begin as the norms of those of W.',
      ),
  ),
  loraTargetModules: key(
    'lora_target_modules',
    z
      .union(
        [
          z.literal('all-linear'),
          z.array(choice(ADAPTER_TARGETS, 'not a module that can have an adapter')).min(1, { error: targetsRule }),
        ],
        { error: targetsRule },
      )
      .default('all-linear')
      .describe(
        `Modules of every layer that have an adapter: all-linear (all of ${ADAPTER_TARGETS.join(', ')}), or a list of ` +
          'some. Default {default} (TRL: what PEFT names for each kind of model, mostly q_proj and v_proj).',
      ),
  ),
  loraDropout: key(
    'lora_dropout',
    number({ min: 0, below: 1, example: 0 })
      .default(0)
      .describe('Only 0: with dropout in the update alone, sampler and trainer would be two policies.'),
  ),
} as const;

/** The keys without which the others mean nothing, under their names in TypeScript. */
export const ADAPTER_OPTIONS = [
  'loraR',
  'loraAlpha',
  'useRslora',
  'useDora',
  'loraTargetModules',
  'loraDropout',
] as const;

/** TRL's default, which it writes out even without an adapter, and which differs from ours. */
const TRL_DROPOUT = 0.05;

/** The keys that this reads of a section. */
interface AdapterSection {
  readonly values: Values<typeof ADAPTER_KEYS> & { readonly modelNameOrPath?: string };
  sound(...names: readonly (keyof typeof ADAPTER_KEYS)[]): boolean;
  refuse(name: keyof typeof ADAPTER_KEYS, rule: string): void;
}

/** The adapter that a run trains; undefined where it trains all weights. Mistakes are refused. */
export function resolveAdapter(section: AdapterSection): AdapterConfig | undefined {
  if (!section.sound('usePeft', ...ADAPTER_OPTIONS)) return undefined;
  const { usePeft, loraR, loraAlpha, useRslora, useDora, loraTargetModules, loraDropout, modelNameOrPath } =
    section.values;
  if (!usePeft) {
    for (const name of ADAPTER_OPTIONS)
      if (!isDefaultOption(name, section.values[name])) section.refuse(name, ofNoAdapter);
    return undefined;
  }
  if (modelNameOrPath === undefined) {
    section.refuse(
      'usePeft',
      'random weights would stay as they are beside it; add model_name_or_path, or leave it out',
    );
  }
  if (loraDropout > 0) {
    section.refuse('loraDropout', 'with dropout in the update alone, sampler and trainer are two policies; use 0');
  }
  const targets = ADAPTER_TARGETS.filter(
    (name) => loraTargetModules === 'all-linear' || loraTargetModules.includes(name),
  );
  return { rank: loraR, alpha: loraAlpha, useRslora, targets, ...(useDora && { useDora: true }) };
}

const ofNoAdapter = 'all weights are trained, without an adapter; add use_peft: true, or leave it out';

/** Whether an option has its default. */
export function isDefaultOption(name: (typeof ADAPTER_OPTIONS)[number], value: unknown): boolean {
  if (name === 'loraDropout' && value === TRL_DROPOUT) return true;
  return (
    value ===
    { loraR: 16, loraAlpha: 32, useRslora: false, useDora: false, loraTargetModules: 'all-linear', loraDropout: 0 }[
      name
    ]
  );
}

/** The keys of an adapter, as a file would have them. */
export function adapterValues({
  rank,
  alpha,
  useRslora,
  useDora,
  targets,
}: AdapterConfig): Values<typeof ADAPTER_KEYS> {
  const isAll = ADAPTER_TARGETS.every((name) => targets.includes(name));
  return {
    usePeft: true,
    loraR: rank,
    loraAlpha: alpha,
    useRslora,
    useDora: useDora === true,
    loraTargetModules: isAll ? 'all-linear' : [...targets],
    loraDropout: 0,
  };
}
