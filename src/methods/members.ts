/** The methods of a stage with their declarations, as they see each other. */
import type { Member } from './method.ts';
import { findMethod, type MethodList } from './method_list.ts';
import { END, type OptionsAt, optionsOfMethod, START } from './settings.ts';
import { type GrpoStageConfig, METHOD_POINTS } from './stage.ts';

/** The known methods of a stage, in the order of the points. */
export function membersOf(stage: GrpoStageConfig, list: MethodList): Member[] {
  return METHOD_POINTS.flatMap((point) =>
    stage.methods[point].flatMap((plugin): Member[] => {
      const method = findMethod(list, point, plugin);
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

/** Origins of completions that had help. */
export function helpedOrigins(members: readonly Member[]): ReadonlySet<string> {
  return new Set(members.flatMap(({ method }) => method.helps ?? []));
}
