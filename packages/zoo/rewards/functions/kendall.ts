/**
 * How well an order fits: (τ + 1)/2, the share of pairs in the right order, or the share of elements in their place.
 * 0 for what does not have just the elements of the truth. As in MR-RLVR.
 */
import { choice, options } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { truthColumn } from '../shared_options.ts';
import { comparing, listForm } from '../truth.ts';

export const kendallReward = defineReward({
  does: 'Of a list in some order, the share of pairs in the right order, (tau + 1)/2, or of elements in their place; 0 where elements are missing, repeated or new.',
  options: options({
    measure: choice(['pairs', 'places'])
      .default('pairs')
      .describe('What is counted: pairs, or elements in their place.'),
    column: truthColumn,
  }),
  create: ({ measure, column }) =>
    comparing({
      name: 'kendall',
      range: [0, 1],
      truth: listForm,
      column,
      score(answer, truth) {
        const places = placesOf(listForm.read(answer) ?? [], truth);
        if (places === undefined) return 0;
        return measure === 'pairs'
          ? pairsInOrder(places)
          : places.filter((place, i) => place === i).length / places.length;
      },
    }),
});

/** The place in the truth of each element; of equal ones, the first belongs to the first. Undefined for other elements. */
function placesOf(list: readonly string[], truth: readonly string[]): number[] | undefined {
  if (list.length !== truth.length) return undefined;
  const free = new Map<string, number[]>();
  truth.forEach((element, place) => free.set(element, [...(free.get(element) ?? []), place]));
  const places = list.map((element) => free.get(element)?.shift());
  return places.every((place) => place !== undefined) ? (places as number[]) : undefined;
}

function pairsInOrder(places: readonly number[]): number {
  const pairs = (places.length * (places.length - 1)) / 2;
  if (pairs === 0) return 1;
  let inOrder = 0;
  places.forEach((place, i) => {
    for (let j = i + 1; j < places.length; j++) if (places[j] > place) inOrder++;
  });
  return inOrder / pairs;
}
