import { THREADS } from '../../../src/cli/commands/train.ts';
import { command } from '../../../src/cli/flags/command.ts';
import { choice, integer, required, text, withDefault } from '../../../src/cli/flags/flag.ts';
import { EXPORTS, type ExportDtype, type ExportTarget } from '../../models/run/model/exports.ts';

const TARGETS = Object.keys(EXPORTS) as [ExportTarget, ...ExportTarget[]];
const DTYPES = [...new Set<ExportDtype>(TARGETS.flatMap((name) => EXPORTS[name].dtypes))] as [
  ExportDtype,
  ...ExportDtype[],
];

/** Completions that are re-scored, where nothing else is asked. */
export const CHECKED = 64;

export const EXPORT = command({
  name: 'export',
  does: 'write a model for transformers, PEFT, llama.cpp or Ollama',
  usage: 'PATH --output PLACE [options]',
  words: [{ syntax: '<path>', text: 'the directory of a run, a folder of a model or of an adapter, or a .gguf file' }],
  flags: {
    output: required(
      text('<place>', 'the new file, whose name ends in .gguf, or the new folder (required)', { letter: 'o' }),
    ),
    to: choice('<form>', TARGETS.map((name) => `${name}: ${EXPORTS[name].does}`).join('; '), TARGETS),
    dtype: choice('<type>', 'how weights are stored; vectors in GGUF stay in float32', DTYPES),
    base: text('<path>', 'the model of an adapter, where it is not where the adapter says'),
    check: withDefault(
      integer('<number>', 'completions of the run that are re-scored; 0: none, weights alone are compared', {
        min: 0,
        max: 1024,
      }),
      CHECKED,
    ),
    problems: withDefault(
      integer('<number>', 'held-out problems of the run that are answered greedily, before and after', { min: 0 }),
      0,
    ),
    threads: THREADS,
  },
  examples: [
    {
      words: 'export runs/mine --output mine.gguf --dtype q8_0',
      does: 'a model for llama.cpp and Ollama (docs/pretrained.md)',
    },
    { words: 'export runs/mine --output mine --dtype bf16', does: 'a folder for transformers and vLLM' },
    {
      words: 'export runs/mine --to gguf-lora --output mine.gguf',
      does: 'its adapter, for a base that stays as it is',
    },
  ],
  run: async ([path = ''], flags) => (await import('../actions/export.ts')).exportGiven(path, flags),
});
