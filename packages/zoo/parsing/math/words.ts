/** Whole numbers in words, and units. */

const UNDER_TWENTY =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' '); // biome-ignore format: one line
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** A whole number below a million; undefined where the words are none. */
export function numberInWords(text: string): number | undefined {
  const words = text.split(/[ -]+/).filter((word) => word !== 'and');
  const sign = words[0] === 'minus' || words[0] === 'negative' ? -1 : 1;
  if (sign < 0) words.shift();
  let [total, group, last] = [0, 0, Number.POSITIVE_INFINITY];
  if (words.length === 0) return undefined;
  for (const word of words) {
    const [small, ten] = [UNDER_TWENTY.indexOf(word), TENS.indexOf(word)];
    if (small >= 0 && last >= (small < 10 ? 10 : 100)) [group, last] = [group + small, 1];
    else if (ten >= 0 && last >= 100) [group, last] = [group + 20 + 10 * ten, 10];
    else if (word === 'hundred' && group >= 1 && group <= 9 && last === 1) [group, last] = [100 * group, 100];
    else if (word === 'thousand' && total === 0 && group > 0) [total, group, last] = [1000 * group, 0, 1000];
    else return undefined;
  }
  return sign * (total + group);
}

/** Whether a word counts, so that a text with it is no name. */
export const isCounting = (word: string): boolean =>
  UNDER_TWENTY.includes(word) || TENS.includes(word) || Object.hasOwn(MULTIPLES, word) || COUNTS.includes(word);

const COUNTS = 'half halves third thirds quarter quarters fourth fourths fifth fifths dozen dozens squared cubed factorial plus minus times over negative'.split(' '); // biome-ignore format: one line

/** Words in -s that are no things that are counted. */
const NO_THINGS =
  /(?:ths|ss|us|ens|ones|eds|ions|ands|this|does|always|perhaps|as|is|whereas|others|scores|pairs|couples|squares|cubes|roots|powers|multiples)$/;

/** 18 apples */
const isCounted = (name: string): boolean => /^[a-z]{3,}s$/.test(name) && !isCounting(name) && !NO_THINGS.test(name);

/** 3 million. */
export const MULTIPLES: Readonly<Record<string, bigint>> = {
  hundred: 100n,
  thousand: 1000n,
  million: 10n ** 6n,
  billion: 10n ** 9n,
  trillion: 10n ** 12n,
};

/** One name for each unit that has several. */
const UNITS: readonly string[][] = [
  ['$', 'dollar', 'dollars', 'usd', 'bucks'],
  ['cent', 'cents', '\u00a2'],
  ['\u20ac', 'euro', 'euros', 'eur'],
  ['\u00a3', 'pounds sterling', 'gbp'],
  ['\u00b0', 'degree', 'degrees', 'deg'],
  ['mm', 'millimeter', 'millimeters', 'millimetre', 'millimetres'],
  ['cm', 'centimeter', 'centimeters', 'centimetre', 'centimetres'],
  ['dm', 'decimeter', 'decimeters'],
  ['m', 'meter', 'meters', 'metre', 'metres'],
  ['km', 'kilometer', 'kilometers', 'kilometre', 'kilometres'],
  ['in', 'inch', 'inches'],
  ['ft', 'foot', 'feet'],
  ['yd', 'yard', 'yards'],
  ['mi', 'mile', 'miles'],
  ['mg', 'milligram', 'milligrams'],
  ['g', 'gram', 'grams'],
  ['kg', 'kilogram', 'kilograms'],
  ['lb', 'lbs', 'pound', 'pounds'],
  ['oz', 'ounce', 'ounces'],
  ['ml', 'milliliter', 'milliliters', 'millilitre', 'millilitres'],
  ['l', 'liter', 'liters', 'litre', 'litres'],
  ['gal', 'gallon', 'gallons'],
  ['ms', 'millisecond', 'milliseconds'],
  ['s', 'sec', 'secs', 'second', 'seconds'],
  ['min', 'mins', 'minute', 'minutes'],
  ['h', 'hr', 'hrs', 'hour', 'hours'],
  ['day', 'days'],
  ['week', 'weeks'],
  ['month', 'months'],
  ['year', 'years'],
  ['mph', 'miles per hour'],
  ['km/h', 'kmh', 'kph', 'kilometers per hour'],
  ['m/s', 'meters per second'],
  ['unit', 'units'],
  ['radian', 'radians', 'rad'],
  ['point', 'points'],
  ['way', 'ways'],
  ['person', 'people'],
];

const NAMES: ReadonlyMap<string, string> = new Map(UNITS.flatMap((all) => all.map((name) => [name, all[0]] as const)));
const POWERS: Readonly<Record<string, string>> = { square: '2', sq: '2', cubic: '3', cu: '3' };

/**
 * One name for a unit: `square centimeters`, `cm^2` and `sq cm` are `cm^2`.
 *
 * @param written  how the word is set. In \text{} or \mathrm{} single letters and unlisted words are units; after a space, an
 *   unlisted word is one only in the plural; joined to the number, letters are a product
 */
export function unitOf(text: string, written: 'marked' | 'apart' | 'joined'): string | undefined {
  const isMarked = written === 'marked';
  const words = text.toLowerCase().replaceAll('.', ' ').trim().split(/ +/);
  const raised = /^(.*?)\^\{?([23])\}?$/.exec(words.join(' '));
  const [name, power] =
    raised !== null
      ? [raised[1].trim(), raised[2]]
      : Object.hasOwn(POWERS, words[0]) && words.length > 1
        ? [words.slice(1).join(' '), POWERS[words[0]]]
        : [words.join(' '), ''];
  const known = NAMES.get(name);
  const isOne = known !== undefined && (isMarked || name.length > 1 || !/[a-z]/.test(name));
  if (
    !isOne &&
    !(written === 'apart' && isCounted(name)) &&
    !(isMarked && /^[a-z][a-z /-]*$/.test(name) && !name.split(/[ -]/).some(isCounting))
  )
    return undefined;
  return `${known ?? name.replace(/(?<=[a-z]{2})s$/, '')}${power === '' ? '' : `^${power}`}`;
}
