/** The tokenizer, the template and the ends of an answer that were written, against those of the model. */
import type { Codec } from '../../../../src/text/codec.ts';
import { differs } from './compare_weights.ts';

export interface WrittenText {
  readonly own: Codec;
  /** What was written, opened again. */
  readonly opened: Codec;
  /** To be read to the same tokens. */
  readonly texts: readonly string[];
  /** What ends an answer, as far as the form holds it. */
  readonly stopIds?: readonly number[];
}

/** @param model  as messages name it @throws CheckpointError `export-differs` */
export function requireSameText(model: string, { own, opened, texts, stopIds = own.stopIds }: WrittenText): void {
  const [ends, wanted] = [opened.stopIds, stopIds].map((ids) => [...ids].sort((a, b) => a - b).join(', '));
  if (ends !== wanted) throw differs(model, `an answer ends with token ${ends}, where the model has ${wanted}`);
  if (opened.chatTemplate !== own.chatTemplate) {
    const found = opened.chatTemplate === undefined ? 'no chat template' : 'another chat template';
    throw differs(model, `it has ${found}, so that a question is put in other words than the model was trained on`);
  }
  for (const text of texts) {
    const [seen, tokens] = [opened.encode(text).join(' '), own.encode(text).join(' ')];
    if (seen !== tokens) {
      throw differs(model, `${JSON.stringify(text)} has the tokens ${seen}, where the model has ${tokens}`);
    }
  }
}
