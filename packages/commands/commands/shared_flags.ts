/** Flags that several commands have. */
import { list, text, toggle } from '../../../src/cli/flags/flag.ts';

export const TRUST = list(
  '<path or host>',
  "code or rows outside of the config's folder that may be used, or a server that a config may send to, as host or VARIABLE@host",
);

export const MODEL_TEXT =
  'another model instead: its folder, a checkpoint of a run, an adapter, a .gguf file, or owner/name';

export const ADAPTER = text('<path>', 'an adapter beside --model, where that is not one: a folder as PEFT writes it');

/** The run whose policy is asked, where no model is. */
export const TRAINED_RUN = text('<directory>', 'run directory, e.g. runs/countdown (this or --model is required)');

export const USE_ANYWAY = toggle('use the model of the directory although it is not the one that its run ended with');
