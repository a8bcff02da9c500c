/** The table of docs/reference/keys.md that goes from each key of TRL's to what it is here. */
import type { Json } from '../../../src/options/json.ts';
import { UNSUPPORTED_TRL_KEYS } from '../elsewhere/trl_keys.ts';
import { type OptionText, valueWords } from '../options/describe.ts';
import { tableCell } from './catalogue_words.ts';
import { type KeyPlace, keyPlaces } from './key_facts.ts';

/** What test/golden/make_trl_keys.py reads of TRL's own classes. */
export interface TrlKeys {
  /** Keys of GRPOConfig, with their defaults. */
  readonly defaults: Readonly<Record<string, Json>>;
  /** Keys of GRPOConfig whose default depends on the machine. */
  readonly local: readonly string[];
  /** By class, what GRPOConfig has not. */
  readonly others: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** Every key of TRL's in alphabetical order, in Markdown: its default there, whether it is here, and what differs. */
export function trlTable(trl: TrlKeys): string {
  const defaults: Readonly<Record<string, Json>> = Object.assign({}, ...Object.values(trl.others), trl.defaults);
  const places = keyPlaces();
  const names = new Set([...Object.keys(defaults), ...trl.local, ...Object.keys(UNSUPPORTED_TRL_KEYS)]);
  const rows = [...names].sort().map((name) => {
    const there = defaults[name];
    const [here, words] = hereOf(name, there, places);
    const shown = there === undefined ? '' : `\`${JSON.stringify(there)}\``;
    return `| \`${name}\` | ${tableCell(shown)} | ${here} | ${tableCell(words)} |`;
  });
  return ['| key of TRL | its default there | here | in words |', '|---|---|---|---|', ...rows].join('\n');
}

function hereOf(name: string, there: Json | undefined, places: readonly KeyPlace[]): readonly [string, string] {
  const found = places.flatMap(({ title, keys }) =>
    keys.filter((option) => option.name === name).map((option) => ({ title, option })),
  );
  if (found.length > 0) {
    const links = found.map(({ title }) => `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`).join(', ');
    const kept = found.every(({ option }) => hasDefault(option, there));
    const words = found.map(({ title, option }) => {
      const text = hasDefault(option, there) ? '' : defaultText(option);
      return text === '' || found.length === 1 ? text : `${title}: ${text}`;
    });
    return [`${kept ? 'the same' : 'another default'}: ${links}`, words.filter((text) => text !== '').join(' ')];
  }
  const because = UNSUPPORTED_TRL_KEYS[name]?.because;
  if (because === undefined)
    throw new Error(`${name}: a key of TRL's that packages/zoo/elsewhere/trl_keys.ts has to give a reason for`);
  const [rule = '', remedy = ''] = because.split('; ');
  return remedy === 'leave it out' ? ['–', `${rule}.`] : ['otherwise', `${rule}: ${remedy}.`];
}

function hasDefault(option: OptionText, there: Json | undefined): boolean {
  if (there === undefined) return true;
  if (option.default !== undefined) return JSON.stringify(option.default) === JSON.stringify(there);
  return there === null && !option.text.includes('TRL');
}

/** What the key's text says of its default, else the default. */
function defaultText({ text, default: value }: OptionText): string {
  const [said] = /\b(?:No d|D)efault\b.*$/s.exec(text) ?? [];
  return said ?? (value === undefined ? '' : `Default ${valueWords(value)}.`);
}
