/** A model that is not here yet, as far as a plan asks: its shape, how its file stores it, and about how many tokens a text has. */
import type { RunConfig } from '../../../src/config/run_config.ts';
import type { OpenedBase } from '../../../src/run/base.ts';
import type { Codec } from '../../../src/text/codec.ts';
import type { ModelSketch } from '../run_plan.ts';

const MATRICES = [
  ...['q_proj', 'k_proj', 'v_proj', 'o_proj'].map((name) => `self_attn.${name}`),
  ...['gate_proj', 'up_proj', 'down_proj'].map((name) => `mlp.${name}`),
];

/** Words, single digits and signs: what most vocabularies have a token for. */
const PIECES = / ?\p{L}+|\p{N}|\s+|[^\s\p{L}\p{N}]/gu;

export function sketchedModel({
  shape,
  context,
  storage,
  head = storage,
}: ModelSketch): Pick<OpenedBase, 'codec' | 'configured'> {
  const { vocabSize, numLayers, ...sizes } = shape;
  const layers = Array.from({ length: numLayers }, (_, layer) =>
    MATRICES.map((name) => [`model.layers.${layer}.${name}.weight`, storage] as const),
  );
  const frozenStorage = {
    ...Object.fromEntries(layers.flat()),
    'model.embed_tokens.weight': shape.tieWordEmbeddings ? head : storage,
    'lm_head.weight': head,
  };
  return {
    codec: sketchedCodec(vocabSize),
    configured: (config: RunConfig) => ({
      ...config,
      model: {
        ...sizes,
        numLayers,
        initializerRange: config.model.initializerRange,
        maxPositionEmbeddings: context,
      },
      frozenStorage,
    }),
  };
}

/** Numbers pieces as they come. The codec's control tokens are single characters. */
function sketchedCodec(vocabSize: number): Codec {
  const pieces: string[] = ['\u0000'];
  const ids = new Map<string, number>();
  const idOf = (piece: string): number => {
    const id = ids.get(piece) ?? pieces.push(piece) - 1;
    ids.set(piece, id);
    return id;
  };
  const decode = (tokens: ArrayLike<number>): string => Array.from(tokens, (id) => pieces[id] ?? '').join('');
  return {
    vocabSize,
    eosTokenId: 0,
    padTokenId: 0,
    stopIds: [0],
    encode: (text) => Int32Array.from(text.match(PIECES) ?? [], idOf),
    decode,
    tokenText: (id) => decode([id]),
    render: (messages) =>
      `${messages.map(({ role, content }) => `\u0001${role}\n${content}\u0002\n`).join('')}\u0001assistant\n`,
    toJSON: () => ({}),
    configJSON: () => ({}),
  };
}
