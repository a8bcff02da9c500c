/** `rlvr-train tasks show NAME`: some problems with a right answer, and near misses with what the verifier says of each. */

import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { bindTask } from '../../../src/data/create_task.ts';
import { ENVIRONMENT_TURN, type PlayedEpisode, POLICY_TURN } from '../../../src/data/environment.ts';
import { verdictsOf } from '../../../src/data/judging/judged.ts';
import { type AnyEnvironment, bindEnvironment, playEpisode } from '../../../src/data/play.ts';
import type { AnyTaskDefinition, Task, TaskItem } from '../../../src/data/task.ts';
import { counted } from '../../../src/format.ts';
import { rngFor } from '../../../src/kernels/philox.ts';
import { givenKnobs, type TaskFlags, withTask } from './named_task.ts';

/** Near misses of a problem that are shown. */
const MOST_MISSES = 12;

/** Prints them, and what a completion is likely to be right by chance. */
export async function showTask(name: string, flags: TaskFlags): Promise<void> {
  await withTask(
    name,
    async (definition) => {
      const task = bindTask(definition, givenKnobs(flags));
      const { count = 3, seed = 0, json = false } = flags;
      const items = Array.from({ length: count }, (_, index) => task.trainItem(seed, index));
      const { environment } = definition;
      const showing = items.map(async (item, index) => {
        const episodes = environment === undefined ? [] : episodesOf(environment, task, item, index);
        const tries = environment === undefined ? await triesOf(definition, task, item, index) : [];
        return { item, tries, ...(episodes.length > 0 && { episodes }) };
      });
      const shown = await Promise.all(showing);
      if (json) {
        for (const { item, ...told } of shown) printJson(JSON.stringify({ ...item, ...told }));
        return;
      }
      for (const { item, tries, episodes = [] } of shown) {
        print([colors.bold(item.prompt), ...tries.map(tryLine), ...episodes.flatMap(episodeLines)].join('\n'));
      }
      const { promptTokens, completionTokens, turns } = task.language;
      const facts = [
        `chance ${(100 * task.chance).toFixed(1)} %`,
        `${counted(task.heldOutItems().length, 'held-out problem')}`,
        `prompts of at most ${counted(promptTokens, 'token')}, ${turns ? `${turns.maxTurns} turns with what is said between them` : 'completions'} of ${completionTokens}`,
        `knobs ${JSON.stringify(task.knobs)}`,
      ];
      print(colors.dim(facts.join('; ')));
    },
    givenKnobs(flags),
  );
}

/** An episode as a player plays it. */
interface ShownEpisode extends PlayedEpisode {
  readonly player: string;
}

/** Each problem as its expert plays it, and as one who knows the rules alone. */
function episodesOf(definition: AnyEnvironment, { name, knobs }: Task, item: TaskItem, index: number): ShownEpisode[] {
  const bound = bindEnvironment(definition, name, knobs);
  return (['expert', 'random'] as const).map((player) => {
    const rng = rngFor(`shown ${index} ${player}`);
    const episode = playEpisode(bound, item, `shown ${index}`, (state) => definition[player](state, knobs, rng));
    return { player, ...episode };
  });
}

/** A turn a line, with what it was answered with. */
function episodeLines({ player, turns, verdict }: ShownEpisode): string[] {
  const said = turns.flatMap(({ from, text }, i) => {
    if (from !== POLICY_TURN) return [];
    const answer = turns[i + 1];
    const tool = answer && answer.from !== ENVIRONMENT_TURN ? `${answer.from}: ` : '';
    return [
      `     ${JSON.stringify(text).padEnd(24)}  ${colors.dim(answer ? `${tool}${JSON.stringify(answer.text)}` : '')}`.trimEnd(),
    ];
  });
  return [`  ${verdict.score ?? '–'}  ${player}: ${verdict.reason}`, ...said];
}

interface Try {
  readonly name: string;
  readonly completion: string;
  readonly score: number | null;
  readonly reason: string;
}

async function triesOf(definition: AnyTaskDefinition, task: Task, item: TaskItem, index: number): Promise<Try[]> {
  const { fixedCompletionTokens } = task.language;
  const finishReason = fixedCompletionTokens === undefined ? 'eos' : 'stop';
  const misses = definition.mutants?.(item.identity, task.knobs, rngFor(`shown ${index}`)) ?? [];
  const tagged = (text: string): string => (task.style === 'plain' ? `<answer>${text}</answer>` : text);
  const all = [
    { name: 'right', completion: item.answer },
    ...misses.slice(0, MOST_MISSES).map(({ name, text }) => ({ name, completion: tagged(text) })),
  ];
  const verdicts = await verdictsOf(
    task,
    all.map(({ completion }) => ({ item, completion, context: { finishReason } })),
  );
  return all.map((one, i) => ({ ...one, score: verdicts[i].score, reason: verdicts[i].reason }));
}

function tryLine({ name, completion, score, reason }: Try): string {
  const text = JSON.stringify(completion.length > 60 ? `${completion.slice(0, 59)}…` : completion);
  return `  ${score === 1 ? '1' : String(score ?? '–')}  ${text.padEnd(24)}  ${colors.dim(`${name}: ${reason}`)}`;
}
