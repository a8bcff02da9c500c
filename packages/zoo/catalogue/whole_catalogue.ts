/** The catalogue of everything that there is. The build makes it once, for the page and for the command's lists. */
import { POINT_KEYS } from '../../../src/config/keys/method_keys.ts';
import { DEMONSTRATIONS_KEY } from '../../../src/config/keys/stage_keys.ts';
import type { Method } from '../../../src/methods/method.ts';
import { METHOD_POINTS } from '../../../src/methods/stage.ts';
import { ZOO } from '../registries.ts';
import {
  type Catalogue,
  type CataloguePoint,
  describeDemonstrations,
  describeMethod,
  describeReward,
  describeTask,
} from './catalogue.ts';

let made: Catalogue | undefined;

/** Made once, at the first call. */
export function catalogue(): Catalogue {
  made ??= makeCatalogue();
  return made;
}

function makeCatalogue(): Catalogue {
  const isReward = (part: string): boolean => Object.hasOwn(ZOO.rewards.loaded, part);
  return {
    tasks: Object.values(ZOO.tasks.loaded).map(({ card }) => describeTask(card, isReward)),
    rewards: Object.entries(ZOO.rewards.loaded).map(([name, definition]) => describeReward(name, definition)),
    points: [
      ...METHOD_POINTS.map((point): CataloguePoint => {
        const { yaml, takes, text } = POINT_KEYS[point];
        return { name: yaml, takes, does: text };
      }),
      { name: DEMONSTRATIONS_KEY.yaml, takes: 'one', does: DEMONSTRATIONS_KEY.text },
    ],
    methods: [
      ...METHOD_POINTS.flatMap((point) => {
        const methods: readonly Method<unknown>[] = ZOO.methods.at[point];
        return methods.map((method) => describeMethod(point, method));
      }),
      ...ZOO.methods.demonstrations.map(describeDemonstrations),
    ],
  };
}
