/** The functions of a template: Jinja's and `raise_exception` of transformers. */
import { TemplateError } from './lexer.ts';
import { unpacked } from './members.ts';
import { requireInt } from './text_methods.ts';
import { type CallArguments, Callable, Dict, itemsOf, Members, Namespace, Range, textOf } from './values.ts';

/** `raise_exception`: the template's own words. */
export class RaisedByTemplate extends TemplateError {}

/** More steps or memory than a template may take. */
export class Endless extends TemplateError {}

/** Functions that every template finds. */
export function globalFunctions(): Readonly<Record<string, Callable>> {
  return {
    raise_exception: new Callable('raise_exception', (args) => {
      throw new RaisedByTemplate(textOf(args.take('raise_exception', 'message')[0] ?? null));
    }),
    range: new Callable('range', ({ positional }) => {
      const bounds = positional.map((bound) => BigInt(requireInt(bound, 'range()')));
      if (bounds.length < 1 || bounds.length > 3) throw new TemplateError('range() takes 1 to 3 arguments');
      return bounds.length === 1 ? new Range(0n, bounds[0], 1n) : new Range(bounds[0], bounds[1], bounds[2] ?? 1n);
    }),
    namespace: new Callable('namespace', (args) => {
      const made = new Namespace();
      for (const [name, value] of dictOf(args).entries()) made.values.set(textOf(name), value);
      return made;
    }),
    dict: new Callable('dict', dictOf),
    lipsum: new Callable('lipsum', () => {
      throw new TemplateError("'lipsum' is not supported");
    }),
    cycler: new Callable('cycler', ({ positional }) => {
      if (positional.length === 0) throw new TemplateError('at least one item has to be provided');
      let at = 0;
      const next = new Callable('next', () => positional[at++ % positional.length]);
      return new Members('Cycler', (name) => {
        if (name === 'next') return next;
        if (name === 'current') return positional[at % positional.length];
        throw new TemplateError(`'${name}' of a cycler is not supported`);
      });
    }),
    joiner: new Callable('joiner', (args) => {
      const [separator = ', '] = args.take('joiner', 'sep');
      let isUsed = false;
      return new Callable('joiner', () => {
        const written = isUsed ? separator : '';
        isUsed = true;
        return written;
      });
    }),
  };
}

/** Python's `dict(…)`. */
function dictOf({ positional, named }: CallArguments): Dict {
  const [of, ...more] = positional;
  if (more.length > 0) throw new TemplateError('dict() takes one positional argument');
  const made = new Dict();
  const given =
    of === undefined ? [] : of instanceof Dict ? of.entries() : itemsOf(of).map((pair) => unpacked(pair, 2));
  for (const [key, value] of given) made.set(key, value);
  for (const [key, value] of named) made.set(key, value);
  return made;
}
