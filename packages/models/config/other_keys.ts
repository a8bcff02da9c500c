/** Keys of a config that say something else than the files of the model which the run begins with. */
import {
  ADAPTER_KEYS,
  ADAPTER_OPTIONS,
  adapterValues,
  isDefaultOption,
} from '../../../src/config/keys/adapter_keys.ts';
import { derivedSizes, MODEL_KEYS, type ModelConfig } from '../../../src/config/model_config.ts';
import type { RunConfig } from '../../../src/config/run_config.ts';
import type { AdapterConfig } from '../../../src/model/adapter_config.ts';
import type { ModelShape } from '../../../src/model/shape.ts';
import { takeOptions } from '../../../src/options/read.ts';
import type { Pretrained } from '../run/model/pretrained.ts';

export interface OtherKey {
  readonly key: string;
  readonly value: unknown;
  /** `rule; remedy`. */
  readonly rule: string;
  /** The value is the default, so the config need not have named the key. */
  readonly isDefault: boolean;
}

const SHAPE_NAMES = [
  'hiddenSize',
  'intermediateSize',
  'numLayers',
  'numHeads',
  'numKvHeads',
  'headDim',
  'ropeTheta',
  'rmsNormEps',
  'tieWordEmbeddings',
  'attentionBias',
  'qkNorm',
] as const satisfies readonly (keyof ModelShape)[];

/** Sizes that follow from no other. */
const DEFAULTS = takeOptions(MODEL_KEYS, {}, { path: 'model', subject: 'the model' });

/** Keys of the shape, and of an adapter, that contradict the files. */
export function otherKeys({ model, adapter }: RunConfig, files: Pretrained): OtherKey[] {
  return [
    ...otherModelKeys(model, files.model.shape, files.name),
    ...(files.adapter === undefined ? [] : otherAdapterKeys(adapter, files.adapter.config)),
  ];
}

/** The keys of a model that say another shape than the files of `name`. */
function otherModelKeys(config: ModelConfig, shape: ModelShape, name: string): OtherKey[] {
  const usual: ModelConfig = { ...DEFAULTS, ...derivedSizes(config) };
  return SHAPE_NAMES.filter((each) => config[each] !== shape[each]).map((each) => ({
    key: `model.${MODEL_KEYS[each].yaml}`,
    value: config[each],
    rule: `the weights of ${name} have ${shape[each]}; leave this out, or leave model_name_or_path out and begin with random weights`,
    isDefault: config[each] === usual[each],
  }));
}

/** @param config  none where the config asks for no adapter, which is no contradiction */
function otherAdapterKeys(config: AdapterConfig | undefined, files: AdapterConfig): OtherKey[] {
  if (config === undefined) return [];
  const [asked, found] = [adapterValues(config), adapterValues(files)];
  return ADAPTER_OPTIONS.filter((name) => JSON.stringify(asked[name]) !== JSON.stringify(found[name])).map((name) => ({
    key: ADAPTER_KEYS[name].yaml,
    value: asked[name],
    rule: `the adapter that the run continues has ${JSON.stringify(found[name])}; leave the key out`,
    isDefault: isDefaultOption(name, asked[name]),
  }));
}
