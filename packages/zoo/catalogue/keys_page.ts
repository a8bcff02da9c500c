/** docs/reference/keys.md: every key of a config, by its place, and what each key of TRL's is here. */

import { UNSUPPORTED_MODEL_KEYS } from '../../../src/config/keys/trl_keys.ts';
import { optionTable, tableCell } from './catalogue_words.ts';
import { keyPlaces } from './key_facts.ts';
import { type TrlKeys, trlTable } from './trl_table.ts';

/** The page as Markdown, ending in a newline. */
export function keysPage(trl: TrlKeys): string {
  const parts = [
    '# Keys of a config',
    "Made of the declarations: `npm run docs` writes it. `rlvr-train explain KEY` says the same of one key. A key that TRL has too is spelled as there and means the same; where its default differs, the text says so. [TRL's keys](#from-trls-keys-to-these) go the other way. Tasks, rewards and methods with their options are in [catalogue.md](catalogue.md).",
    ...keyPlaces().flatMap(({ title, where, keys }) => [`## ${title}`, where, optionTable(keys)]),
    "## From TRL's keys to these",
    'Every key of GRPOConfig, TrainingArguments included, and of SFTConfig, ModelConfig and the script; one without a default there is of other versions of TRL, or has that of the machine. A key that is not here, or is said otherwise, is accepted where it is written with a value that asks for what happens anyway, as GRPOConfig writes out its own defaults; else it is refused with this reason.',
    trlTable(trl),
    '## Keys of a config.json that are not here',
    'Under `model:`, refused in the same way.',
    refusedTable(),
  ];
  return `${parts.join('\n\n')}\n`;
}

function refusedTable(): string {
  const rows = Object.entries(UNSUPPORTED_MODEL_KEYS).map(
    ([name, { because }]) => `| \`${name}\` | ${tableCell(because)} |`,
  );
  return ['| key | why, and what to do |', '|---|---|', ...rows].join('\n');
}
