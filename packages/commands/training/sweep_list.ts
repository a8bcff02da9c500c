/** The keys and values that `--sweep` names. */

/** One key, and its values as typed. */
export interface Sweep {
  readonly key: string;
  readonly values: readonly string[];
}

const MOST_SETTINGS = 100;

/** @param earlier  sweeps that were typed before @throws RangeError with `what; remedy` */
export function readSweep(text: string, earlier: readonly Sweep[] = []): readonly Sweep[] {
  const [, key = '', list = ''] = /^\s*([\w.]+)\s*=(.*)$/s.exec(text) ?? [];
  const values = splitValues(list);
  if (key === '' || values.length < 2 || values.includes('')) {
    throw new RangeError('give a key and two values or more, such as learning_rate=1e-4,3e-4');
  }
  const twice = values.find((value, i) => values.indexOf(value) !== i);
  if (twice !== undefined) throw new RangeError(`${twice} is named twice; name it once`);
  if (earlier.some((sweep) => sweep.key === key))
    throw new RangeError(`${key} has a --sweep already; name all its values there`);
  const sweeps = [...earlier, { key, values }];
  const count = sweeps.reduce((product, sweep) => product * sweep.values.length, 1);
  if (count > MOST_SETTINGS) throw new RangeError(`${count} settings are more than ${MOST_SETTINGS}; give fewer`);
  return sweeps;
}

/** At the commas that are outside of brackets: a value may be a list. */
function splitValues(list: string): string[] {
  const values = [''];
  let depth = 0;
  for (const character of list) {
    if ('[{'.includes(character)) depth++;
    if (']}'.includes(character)) depth--;
    if (character === ',' && depth === 0) values.push('');
    else values[values.length - 1] += character;
  }
  return values.map((value) => value.trim());
}
