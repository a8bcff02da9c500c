/** docs/keys.md: every key of a config, by where it stands, and those of TRL that are not here. */
import { keyPlaces, refusedKeys } from '../config/key_facts.ts';
import { optionTable, tableCell } from './catalogue_words.ts';

/** The page as Markdown, ending in a newline. */
export function keysPage(): string {
  const parts = [
    '# Keys of a config',
    'Made of the declarations: `npm run docs` writes it. `rlvr-train explain KEY` says the same of one key. A key that TRL has too is spelled as there and means the same; where its default differs, the text says so. Tasks, rewards and methods with their options are in [reference.md](reference.md).',
    ...keyPlaces().flatMap(({ title, where, keys }) => [`## ${title}`, where, optionTable(keys)]),
    '## Keys of TRL that are not here',
    'Of GRPOConfig, ModelConfig, TrainingArguments, and of a `config.json` under `model:`. One that is written with its own default, or asks for what happens anyway, is accepted; else it is refused with this reason.',
    refusedTable(),
  ];
  return `${parts.join('\n\n')}\n`;
}

function refusedTable(): string {
  const rows = refusedKeys().map(({ name, because }) => `| \`${name}\` | ${tableCell(because)} |`);
  return ['| key | why, and what to do |', '|---|---|', ...rows].join('\n');
}
