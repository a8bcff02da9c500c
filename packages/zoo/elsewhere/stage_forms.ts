/**
 * Stages of preferences under the names of TRL's trainers: each is a grpo stage of objective `preference`, over rows
 * (`preference-rows`), or with `pairs_from: samples` over the policy's own completions. Keys are those of TRL's config.
 */
import type { Problems } from '../../../src/config/problems.ts';
import type { StageForm } from '../../../src/config/registries.ts';
import type { Given, GivenKeys } from '../../../src/config/section.ts';

/** Options of the objective, which a stage of preferences has as keys of its own; a test compares them. */
export const OPTIONS_OF_FORMS: readonly string[] = [
  'loss_type',
  'loss_weights',
  'beta',
  'label_smoothing',
  'f_divergence_type',
  'f_alpha_divergence_coef',
  'ld_alpha',
  'use_weighting',
  'reference_free',
  'cpo_alpha',
  'simpo_gamma',
  'discopop_tau',
  'desirable_weight',
  'undesirable_weight',
  'solved_reward',
];
/** The methods that such a stage is made of. */
export const METHODS_OF_FORMS: readonly string[] = ['preference', 'preference-rows'];

interface Form {
  /** What the objective is given where the stage does not say it. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Rows have single completions, and each gets that of another row. */
  readonly isSingle?: boolean;
}

const FORMS = {
  dpo: { options: {} },
  kto: { options: { loss_type: 'kto' }, isSingle: true },
  orpo: { options: { loss_type: 'orpo', cpo_alpha: 1 } },
  cpo: { options: { reference_free: true, cpo_alpha: 1 } },
} as const satisfies Readonly<Record<string, Form>>;

/** Names of such stages. */
export type FormName = keyof typeof FORMS;

/** Where pairs may come from. */
export const PAIRS_FROM = ['rows', 'samples'] as const;

export const STAGE_FORMS: Readonly<Record<string, StageForm>> = Object.fromEntries(
  Object.entries(FORMS).map(([name, form]): [string, StageForm] => [
    name,
    { keys: [...OPTIONS_OF_FORMS, 'pairs_from'], asGrpo: (own, path, problems) => asGrpo(form, own, path, problems) },
  ]),
);

function asGrpo(
  { options, isSingle = false }: Form,
  own: GivenKeys,
  path: string,
  problems: Pick<Problems, 'add'>,
): GivenKeys {
  const from = own.get('pairs_from');
  if (from !== undefined && !PAIRS_FROM.some((one) => one === from.value)) {
    problems.add(from.path, from.value, 'must be rows, pairs of a file, or samples, right and wrong ones of a group');
  }
  const isSampled = from?.value === 'samples';
  const given = [...own].filter(([name]) => OPTIONS_OF_FORMS.includes(name));
  const objective = {
    name: METHODS_OF_FORMS[0],
    ...options,
    ...Object.fromEntries(given.map(([name, { value }]) => [name, value])),
  };
  const added = (value: unknown): Given => ({ path, value });
  const rest = [...own].filter(([name]) => !OPTIONS_OF_FORMS.includes(name) && name !== 'pairs_from');
  const rows: Readonly<Record<string, unknown>> = {
    num_generations: 2,
    temperature: 1,
    rollout_strategies: [{ name: METHODS_OF_FORMS[1], ...(isSingle && { mismatched: true }) }],
  };
  const defaults = Object.entries({ aggregation: 'seq-mean', ...(isSampled ? {} : rows) });
  const stage = new Map<string, Given>([
    ...defaults.map(([name, value]) => [name, added(value)] as const),
    ...rest,
    ['objective', added(objective)],
    ['beta', added(0)], // that of a KL to the reference, which the loss has already
  ]);
  const micro = stage.get('per_device_train_batch_size');
  // TRL counts rows here.
  if (!isSampled && typeof micro?.value === 'number') {
    stage.set('per_device_train_batch_size', { ...micro, value: 2 * micro.value });
  }
  return stage;
}
