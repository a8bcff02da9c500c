/** An episode as it is played: its prompt, each turn when it comes, and then what became of it. */

import { colors } from '../../../src/cli/display/colors.ts';
import { print } from '../../../src/cli/display/output.ts';
import { markOf } from '../../../src/cli/display/reporter.ts';
import { ENVIRONMENT_TURN } from '../../../src/data/environment.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import { printable } from '../../../src/format.ts';
import type { Verdict } from '../../../src/rewards/verdict.ts';
import { turnLine } from './conversation_lines.ts';

/** Who watches episodes while they are played. */
export interface EpisodeWatch {
  begin(prompt: string): void;
  turn(turn: { readonly label: string; readonly text: string }): void;
  end(verdict: Verdict): void;
}

/** A watcher that prints, a turn a line. @param tasks  whose tools say how wide the names of those who speak are */
export function episodeWatch({ shares }: Pick<TaskSet, 'shares'>): EpisodeWatch {
  const names = [ENVIRONMENT_TURN, ...shares.flatMap(({ task }) => task.toolNames ?? [])];
  const widest = Math.max(...names.map(({ length }) => length));
  return {
    begin: (prompt) => print(`  ${colors.dim('plays')}  ${printable(prompt)}`),
    turn: (turn) => print(turnLine(turn, widest)),
    end: (verdict) => print(`  ${markOf(verdict)}  ${printable(verdict.reason)}`),
  };
}
