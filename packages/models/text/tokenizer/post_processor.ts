/** Post-processors of a tokenizer.json: the special tokens around a text. */
import { type Json, listOf } from './parts.ts';

/** A token that a post-processor puts around a text. */
export interface SpecialToken {
  readonly id: number;
  readonly text: string;
}

/** The special tokens that a post-processor puts before and after a text. @throws Error where it is of another kind */
export function specialsAround(processor: unknown): Readonly<Record<'before' | 'after', readonly SpecialToken[]>> {
  const { type, processors, single, special_tokens: known, cls, sep } = (processor ?? {}) as Json;
  const pair = (value: unknown): SpecialToken[] => {
    const [text, id] = listOf<unknown>(value);
    return [{ text: String(text), id: Number(id) }];
  };
  if (type === undefined || type === 'ByteLevel') return { before: [], after: [] };
  if (type === 'BertProcessing' || type === 'RobertaProcessing') return { before: pair(cls), after: pair(sep) };
  if (type === 'Sequence') {
    const each = listOf<Json>(processors).map(specialsAround);
    const outermostFirst = [...each].reverse();
    return {
      before: outermostFirst.flatMap(({ before }) => before),
      after: each.flatMap(({ after }) => after),
    };
  }
  if (type !== 'TemplateProcessing') throw new Error(`the post-processor ${String(type)} is not known`);
  const pieces = listOf<Json>(single);
  const text = pieces.findIndex((piece) => 'Sequence' in piece);
  const specials = (some: readonly Json[]): SpecialToken[] =>
    some.flatMap(({ SpecialToken: special }) => {
      const { ids, tokens } = ((known ?? {}) as Json)[String((special as Json)?.id)] as Json;
      return listOf<number>(ids).map((id, i) => ({ id, text: listOf<string>(tokens)[i] }));
    });
  return { before: specials(pieces.slice(0, text)), after: specials(pieces.slice(text + 1)) };
}
