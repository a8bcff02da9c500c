import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CacheSpans } from '../../src/model/sampling/cache_spans.ts';

/** Takes a span of so many rows, or gives back one of those taken. */
type Step = { readonly take: number } | { readonly giveBack: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(fc.record({ take: fc.integer({ min: 0, max: 12 }) }), fc.record({ giveBack: fc.nat({ max: 100 }) })),
  { maxLength: 60 },
);

it('spans never overlap, one is refused only where no free stretch is as long, and all of them come back', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const spans = new CacheSpans(40);
      const isTaken = new Array<boolean>(40).fill(false);
      const taken: [number, number][] = [];
      const mark = ([begin, length]: [number, number], to: boolean): void => {
        for (let row = begin; row < begin + length; row++) {
          expect(isTaken[row]).toBe(!to);
          isTaken[row] = to;
        }
      };
      const longest = (): number => Math.max(...isTaken.map((_, row) => [...isTaken.slice(row), true].indexOf(true)));
      for (const step of list) {
        if ('take' in step) {
          if (step.take > longest()) expect(() => spans.take(step.take)).toThrow(/longest free stretch of 40/);
          else {
            const span: [number, number] = [spans.take(step.take), step.take];
            mark(span, true);
            taken.push(span);
          }
        } else if (taken.length > 0) {
          const [span] = taken.splice(step.giveBack % taken.length, 1);
          spans.giveBack(...span);
          mark(span, false);
        }
      }
      for (const span of taken) spans.giveBack(...span);
      expect(spans.take(40)).toBe(0);
    }),
  );
});
