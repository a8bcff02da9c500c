/** Keys of TRL's DPOConfig, KTOConfig, ORPOConfig and CPOConfig, which a stage of that name has. */
import { OPTIONS_OF_FORMS } from '../stage_forms.ts';
import { computed, each, type Fate, none, refused } from './fate.ts';

/** Where keys of the one stage go. */
export const IN_STAGE = 'stages.0.';

const ofStage = (name: string): Fate => computed('a key of the stage', (value) => ({ [IN_STAGE + name]: value }), name);

export const OF_PREFERENCES: Readonly<Record<string, Fate>> = {
  ...Object.fromEntries(OPTIONS_OF_FORMS.map((name) => [name, ofStage(name)])),
  per_device_train_batch_size: ofStage('per_device_train_batch_size'),
  gradient_accumulation_steps: ofStage('gradient_accumulation_steps'),
  ref_model: none('the reference is the policy as the stage begins'),
  alpha: refused('AlphaPO is not here; leave it out', 0),
  ...each(
    none('the reference is scored with each batch'),
    'precompute_ref_log_probs',
    'precompute_ref_batch_size',
    'ref_model_init_kwargs',
  ),
  ...each(
    none('rows are not cut: a longer completion is left out'),
    'truncation_mode',
    'max_length',
    'pad_to_multiple_of',
    'padding_free',
    'padding_value',
    'label_pad_token_id',
  ),
  ...each(none('there is no dropout, and nothing else than a decoder'), 'disable_dropout', 'is_encoder_decoder'),
  generate_during_eval: none('evaluations sample anyway'),
  train_sampling_strategy: none('rows are shuffled, and mismatched within their batch'),
};
