/** Finds methods without effect in a stage, by what each declares to act on. */
import { isOnPolicy, offPolicySamplers } from '../chosen.ts';
import type { Member } from '../method.ts';
import { samplesElsewhere } from '../sampling_modes/modes.ts';
import { optionsOfMethod, START } from '../settings.ts';
import type { GrpoStageConfig, MethodPoint } from '../stage.ts';
import { USUAL_METHODS } from '../usual_methods.ts';

/** The remark on a member with nothing to act on: `finding; remedy`. */
export function idleRemark(stage: GrpoStageConfig, members: readonly Member[], member: Member): string | undefined {
  const { method, point, options } = member;
  const actsOn = typeof method.actsOn === 'function' ? method.actsOn(options, stage) : method.actsOn;
  if (actsOn === undefined) return undefined;
  const isIdle = actsOn === 'others' ? !hasOthers(stage, members) : isOnPolicy(stage, members);
  const usual = DEFAULT_POINTS.includes(point) ? USUAL_METHODS[point][0] : undefined;
  if (!isIdle) return undefined;
  const isMoved = actsOn !== 'others';
  const seen = isMoved
    ? 'every step is on fresh completions, from which the policy has not moved away'
    : 'the policy samples every completion of this stage';
  if (usual === undefined)
    return `${seen}, so it does nothing; ${isMoved ? 'raise num_iterations, or ' : ''}leave it out`;
  const remedy = isMoved ? 'only further steps on a batch (num_iterations) would tell them apart' : 'leave it out';
  if (usual === method) return isAsUsual(member) ? undefined : `${seen}, so its options change nothing; ${remedy}`;
  const where = actsOn === 'moved or tokens' ? ' wherever the tokens of a completion have one advantage' : '';
  return `${seen}, so it gives what ${usual.id} gives${where}; ${remedy}`;
}

/** Points whose first method is the default. */
const DEFAULT_POINTS: readonly MethodPoint[] = ['ratio', 'objective'];

/** Whether its options have their defaults. */
function isAsUsual({ method, point, options }: Member): boolean {
  const usual = optionsOfMethod(method, point, { name: method.id }).at(START);
  return Object.keys({ ...usual, ...options }).every((name) => usual[name] === options[name]);
}

function hasOthers(stage: GrpoStageConfig, members: readonly Member[]): boolean {
  return samplesElsewhere(stage) || offPolicySamplers(members, stage).length > 0;
}
