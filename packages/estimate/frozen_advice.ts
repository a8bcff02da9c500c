/** Which keys keep less of a frozen model, and of keys and values, and what a policy then needs. */
import type { RunConfig } from '../../src/config/run_config.ts';
import { gibibytes } from '../../src/format.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import { STORAGE, type Storage } from '../../src/kernels/storage.ts';

/** Bytes of a config on a backend; undefined where it does not fit. */
export type BytesIfItFits = (config: RunConfig, backend: Backend) => number | undefined;

interface Way {
  readonly line: string;
  readonly config: RunConfig;
  readonly backend: Backend;
}

/**
 * Keys of which each alone makes it fit, and both kinds together where none does: `load_in_8bit: true (needs 1.3 GiB)`.
 *
 * @param config  that trains an adapter
 */
export function frozenAdvice(config: RunConfig, backend: Backend, bytesOf: BytesIfItFits): string[] {
  const weights = keptWays(config, backend);
  const halves = backend.name === 'wasm' ? 'bfloat16' : backend.name === 'webgpu' ? 'float16' : undefined;
  const storage = (way: Way): Way[] =>
    halves === undefined || config.storageDtype !== 'float32'
      ? []
      : [
          {
            line: [way.line, `storage_dtype: ${halves}`].filter((line) => line !== '').join(' and '),
            config: { ...way.config, storageDtype: halves },
            backend: { ...backend, storageDtype: halves, ...(halves === 'bfloat16' && { roundsKeysAlone: true }) },
          },
        ];
  const alone = [...weights, ...storage({ line: '', config, backend })];
  const fitting = fittingOf(alone, bytesOf);
  return fitting.length > 0 ? fitting : fittingOf(weights.flatMap(storage), bytesOf);
}

function fittingOf(ways: readonly Way[], bytesOf: BytesIfItFits): string[] {
  return ways.flatMap(({ line, config, backend }) => {
    const bytes = bytesOf(config, backend);
    return bytes === undefined ? [] : [`${line} (needs ${gibibytes(bytes)})`];
  });
}

/** The frozen matrices in fewer bits, where they are in 32. */
function keptWays(config: RunConfig, backend: Backend): Way[] {
  const { frozenStorages = [] } = backend;
  const { dtype, loadIn8bit, loadIn4bit, frozenStorage: kept = {} } = config;
  if (dtype !== 'float32' || loadIn8bit || loadIn4bit || Object.keys(kept).length > 0) return [];
  const ways: readonly (readonly [string, Storage, Storage])[] = [
    ['dtype: bfloat16', 'bf16', 'bf16'],
    ['load_in_8bit: true', 'q8_0', 'q8_0'],
    ['load_in_4bit: true', 'q4_0', 'q8_0'],
  ];
  return ways
    .filter(([, layers]) => frozenStorages.includes(layers))
    .map(([line, layers, tables]) => {
      return { line, backend, config: { ...config, frozenStorage: keptIn(config, layers, tables) } };
    });
}

/** Every matrix of the model so, by its name; what is no whole number of blocks wide stays as it is. */
function keptIn({ model }: RunConfig, layers: Storage, tables: Storage): Readonly<Record<string, Storage>> {
  const { hiddenSize, numHeads, headDim, intermediateSize, numLayers } = model;
  const matrices: readonly (readonly [string, number])[] = [
    ...['q_proj', 'k_proj', 'v_proj'].map((name) => [`self_attn.${name}`, hiddenSize] as const),
    ['self_attn.o_proj', numHeads * headDim],
    ...['gate_proj', 'up_proj'].map((name) => [`mlp.${name}`, hiddenSize] as const),
    ['mlp.down_proj', intermediateSize],
  ];
  const ofLayers = Array.from({ length: numLayers }, (_, layer) =>
    matrices.map(([name, width]) => [`model.layers.${layer}.${name}.weight`, width, layers] as const),
  );
  const ofTables = ['model.embed_tokens.weight', 'lm_head.weight'].map((name) => [name, hiddenSize, tables] as const);
  const all = [...ofLayers.flat(), ...ofTables].filter(([, width, storage]) => width % STORAGE[storage].values === 0);
  return Object.fromEntries(all.map(([name, , storage]) => [name, storage]));
}
