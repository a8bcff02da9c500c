/** Schemas of the records that json_record asks for, and records of them. */
import type { Json } from '../../../../../src/options/json.ts';
import { drawWord, LETTERS, type Rng } from '../../kit.ts';
import type { Shape } from './card.ts';

const MOST_NUMBER = 99;
const MOST_LETTERS = 4;
const MOST_ITEMS = 3;

const limit = (value: Json | undefined, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** A text that may look like a number, or like yes and no. */
function drawText(rng: Rng, { enum: words, minLength, maxLength }: Shape): string {
  if (Array.isArray(words)) return String(rng.pick(words));
  const least = limit(minLength, 1);
  const most = Math.max(least, Math.min(12, limit(maxLength, Math.max(least, MOST_LETTERS))));
  const length = rng.int(least, most);
  const kind = rng.int(0, 9);
  if (kind === 0 && minLength === undefined && maxLength === undefined) return rng.pick(['yes', 'no']);
  if (kind >= 6) return drawWord(rng, length);
  return Array.from({ length }, (_, i) => rng.int(i === 0 ? 1 : 0, 9)).join('');
}

/** A value of a schema, which its further keywords may still refuse. */
export function drawValue(rng: Rng, shape: Shape): Json {
  const { type, minimum, maximum, items, minItems, maxItems, properties } = shape;
  switch (type) {
    case 'integer': {
      const least = limit(minimum, 0);
      return rng.int(least, limit(maximum, Math.max(least, MOST_NUMBER)));
    }
    case 'boolean':
      return rng.float() < 0.5;
    case 'array': {
      const least = Math.max(1, limit(minItems, 1));
      const length = rng.int(least, Math.max(least, Math.min(6, limit(maxItems, MOST_ITEMS))));
      return Array.from({ length }, () => drawValue(rng, items as Shape));
    }
    case 'object':
      return Object.fromEntries(
        Object.entries(properties as Readonly<Record<string, Shape>>).map(([name, inner]) => [
          name,
          drawValue(rng, inner),
        ]),
      );
    default:
      return drawText(rng, shape);
  }
}

/** A schema of an object with these properties and no others. */
const objectOf = (properties: Readonly<Record<string, Shape>>): Shape => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Types of a field, by how many kinds there are: numbers and texts; yes or no, and lists; an object within. */
function drawShape(rng: Rng, kinds: number, name: string): Shape {
  const drawn = rng.int(0, kinds === 1 ? 3 : kinds === 2 ? 6 : 7);
  if (drawn < 2) return { type: 'integer' };
  if (drawn < 4) return { type: 'string' };
  if (drawn === 4) return { type: 'boolean' };
  if (drawn < 7) return { type: 'array', items: { type: drawn === 5 ? 'integer' : 'string' } };
  const inner = rng.pick(
    LETTERS.slice(0, 8)
      .split('')
      .filter((letter) => letter !== name),
  );
  return objectOf({ [inner]: { type: rng.pick(['integer', 'string']) } });
}

export function drawSchema(rng: Rng, fields: number, kinds: number): Shape {
  const names = rng.shuffle(LETTERS.slice(0, 8).split('')).slice(0, fields);
  return objectOf(Object.fromEntries(names.map((name) => [name, drawShape(rng, kinds, name)])));
}
