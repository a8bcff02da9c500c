/**
 * How well an interval of real numbers fits: the length of the overlap with the truth over that of their union. Where the truth names
 * an object before it, as `b 3-7` does, an answer that names another one is worth nothing.
 */
import { options } from '../../../../src/options/keys.ts';
import { answerText } from '../../../../src/rewards/answer_text.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { truthColumn } from '../shared_options.ts';
import { readSpan, type Span, spanForm } from '../spans.ts';
import { comparing, type TruthForm } from '../truth.ts';

const NAMED = /^([a-z]) (.+)$/;

/** A span, and the object that it is of; '' for none. */
interface NamedSpan {
  readonly object: string;
  readonly span: Span;
}

function readNamed(text: string): NamedSpan | undefined {
  const [, object = '', rest = text] = NAMED.exec(text) ?? [];
  const span = readSpan(rest);
  return span && { object, span };
}

const namedForm: TruthForm<NamedSpan> = {
  form: spanForm.form,
  read(value) {
    if (typeof value === 'string') return readNamed(answerText(value));
    const span = spanForm.read(value);
    return span && { object: '', span };
  },
};

export const intervalIouReward = defineReward({
  does: 'The length that an interval such as 3.5-7 has in common with the true one, over that of both together.',
  options: options({ column: truthColumn }),
  create: ({ column }) =>
    comparing({
      name: 'interval-iou',
      range: [0, 1],
      truth: namedForm,
      column,
      score(answer, { object, span: [start, end] }) {
        const read = readNamed(answer);
        if (read?.object !== object) return 0;
        const [from, to] = read.span;
        const overlap = Math.min(to, end) - Math.max(from, start);
        if (overlap < 0) return 0;
        const both = Math.max(to, end) - Math.min(from, start);
        return both === 0 ? 1 : overlap / both; // the same point
      },
    }),
});
