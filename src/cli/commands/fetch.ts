import { command } from '../flags/command.ts';
import { toggle } from '../flags/flag.ts';

export const FETCH = command({
  name: 'fetch',
  does: 'fetch a model of the Hugging Face hub into its cache on this machine',
  usage: '<owner/name[@revision]> [--offline]',
  words: [
    { syntax: '<name>', text: 'e.g. Qwen/Qwen3-0.6B; HF_TOKEN, HF_ENDPOINT, HF_HOME and HF_HUB_CACHE are heeded' },
  ],
  flags: {
    offline: toggle('ask no network: say where the cache has it (HF_HUB_OFFLINE=1)'),
    json: toggle('print what was fetched as JSON'),
  },
  examples: [
    { words: 'fetch Qwen/Qwen3-0.6B', does: 'a model of the Hugging Face hub, into its cache (docs/pretrained.md)' },
  ],
  run: async ([name], flags) => (await import('../actions/fetch.ts')).fetchCommand(name, flags),
});
