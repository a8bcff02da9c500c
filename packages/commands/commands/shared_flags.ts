/** Words and flags that several commands have. */
import type { Word } from '../../../src/cli/flags/command.ts';
import { type Flag, integer, list, text, toggle, withDefault } from '../../../src/cli/flags/flag.ts';

export const TRUST = list(
  '<path or host>',
  "code or rows outside of the config's folder that may be used, or a server that a config may send to, as host or VARIABLE@host",
);

export const MODEL_TEXT =
  'a model instead of a run: its folder, a checkpoint of a run, an adapter, a .gguf file, or owner/name';

export const ADAPTER = text('<path>', 'an adapter beside --model, where that is not one: a folder as PEFT writes it');

/** The one run that a command is about. */
export const RUN_WORD: Word = { syntax: '[run]', text: 'its directory, finished or not, e.g. runs/countdown' };

/** The same by a flag. */
export const RUN: Flag<string> = { ...text('<directory>', 'the same as the word'), isAlias: true };

/** What is asked. */
export const ASKED_WORD: Word = {
  syntax: '[run]',
  text: "a run's directory, e.g. runs/countdown; or a model: its folder, an adapter or a .gguf file",
};

export const USE_ANYWAY = toggle('use the model of the directory although it is not the one that its run ended with');

/** Where a command listens, and who may ask it. */
export const PORT = withDefault(integer('<number>', 'port; 0 is one that is free', { min: 0, max: 65_535 }), 8000);
export const HOST = text('<address>', 'who may ask, with --key: 0.0.0.0 is every machine', {
  otherwise: 'this machine alone',
});
export const KEY = text('<secret>', 'must be sent with each request, as "Authorization: Bearer <secret>"');
