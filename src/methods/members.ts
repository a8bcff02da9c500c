/** The methods of a stage as they see each other: by what each declares. */
import type { Plugin } from '../options/keys.ts';
import type { Member, Method } from './method.ts';
import { END, type OptionsAt, optionsOfMethod, START } from './settings.ts';
import { type GrpoStageConfig, METHOD_POINTS, type MethodPoint } from './stage.ts';

/** What the name of a method means; undefined for one that is not known. */
export type FindMethod = (point: MethodPoint, plugin: Plugin) => Method<unknown> | undefined;

/** The methods of a stage that are known, in the order of the points. */
export function membersOf(stage: GrpoStageConfig, find: FindMethod): Member[] {
  return METHOD_POINTS.flatMap((point) =>
    stage.methods[point].flatMap((plugin): Member[] => {
      const method = find(point, plugin);
      if (method === undefined) return [];
      let read: OptionsAt | undefined; // most members are never asked for their options
      const options = (): OptionsAt => {
        read ??= optionsOfMethod(method, point, plugin);
        return read;
      };
      const ends = () => (options().isScheduled ? [START, END] : [START]).map((position) => options().at(position));
      return [
        {
          point,
          method,
          plugin,
          get options() {
            return options().at(START);
          },
          get uses() {
            const { uses } = method;
            return uses === undefined ? [] : ends().flatMap((values) => uses(values, stage));
          },
          works: (lengths) => ends().flatMap((values) => method.work?.(values, stage, lengths) ?? []),
        },
      ];
    }),
  );
}

/** Origins of completions that took help. */
export function helpedOrigins(members: readonly Member[]): ReadonlySet<string> {
  return new Set(members.flatMap(({ method }) => method.helps ?? []));
}
