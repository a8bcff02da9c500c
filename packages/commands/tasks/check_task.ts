/** `rlvr-train tasks check NAME`: the check that every task passes. */

import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { fewHeldOut } from '../../../src/methods/statistics.ts';
import { checkJudgedTask, checkTask, settingsOf } from '../../zoo/data/check/check_task.ts';
import { findingText } from '../../zoo/data/check/findings.ts';
import { givenKnobs, type TaskFlags, withTask } from './named_task.ts';

export interface CheckFlags extends TaskFlags {
  readonly attempts?: number;
}

/** Problems and attempts of a setting. */
const EFFORT = { items: 200, attempts: 5000 } as const;
/** Where answers are run, a verdict takes a millisecond: all settings then take less than a minute of one core. */
const SANDBOXED_EFFORT = { items: 40, attempts: 600 } as const;

/** Whether a share above chance is what as few problems may show where chance is right. */
function isNoise(share: number, chance: number, problems: number): boolean {
  return share > chance && share <= chance + 3 * Math.sqrt((chance * (1 - chance)) / problems);
}

/** Checks a task; what is broken is printed, and makes the exit status 1. */
export async function checkTaskCommand(name: string, flags: CheckFlags): Promise<void> {
  await withTask(
    name,
    async (definition, repeat) => {
      const own = givenKnobs(flags);
      const settings = Object.keys(own).length === 0 ? settingsOf(definition) : [own];
      const effort = definition.sandbox === undefined ? EFFORT : SANDBOXED_EFFORT;
      const { count: items = effort.items, attempts = effort.attempts, json = false } = flags;
      const options = { items, attempts, settings, repeat };
      const isJudged = definition.judge !== undefined;
      const check = isJudged ? await checkJudgedTask(definition, options) : checkTask(definition, options);
      if (check.count > 0) process.exitCode = 1;
      if (json) {
        printJson(JSON.stringify(check));
        return;
      }
      for (const { name: setting, chance, commonest, heldOut, verdicts, known, remarks } of check.settings) {
        const facts = [
          `${verdicts} verdicts`,
          `false positives ${rate(known.accepted, known.wrong)}, false negatives ${rate(known.refused, known.right)}`,
          `${heldOut} held-out problems`,
          `chance ${(100 * chance).toFixed(1)} %`,
          `commonest answer ${(100 * commonest).toFixed(1)} %${isNoise(commonest, chance, heldOut) ? ', within noise' : ''}`,
        ];
        print(`${setting}  ${colors.dim(facts.join('; '))}`);
        const few = fewHeldOut(heldOut);
        for (const remark of few === undefined ? remarks : [few, ...remarks]) print(`  ${colors.yellow(remark)}`);
      }
      for (const finding of check.findings) print(findingText(finding));
      const more = check.count - check.findings.length;
      if (more > 0) print(`and ${more} more of the same rules`);
      print(
        check.count === 0
          ? `${definition.name} keeps every rule`
          : `${definition.name} breaks its rules ${check.count === 1 ? 'once' : `${check.count} times`}`,
      );
    },
    givenKnobs(flags),
  );
}

/** A share in percent, and of how many; a task that keeps its rules has 0. */
function rate(count: number, of: number): string {
  return of === 0 ? 'of none' : `${((100 * count) / of).toFixed(count === 0 ? 0 : 2)} % of ${of}`;
}
