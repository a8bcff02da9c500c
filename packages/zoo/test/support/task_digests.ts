/** What a task draws at each level, in a few digits: the same in every JavaScript engine. */
import { murmur3OfText } from '../../../../src/kernels/murmur3.ts';
import { registeredTasks } from '../../api/tasks.ts';
import { bindTask } from '../../data/index.ts';

/** Problems with their demonstrations that go into a digest, and held-out ones: what is drawn otherwise shows in few. */
const TRAINED = 25;
const HELD_OUT = 32;

/** Digest of the first problems, demonstrations and held-out problems of each level: 8 hexadecimal digits each. */
export async function digestsOf(name: string): Promise<string[]> {
  const definition = await registeredTasks[name]?.load();
  if (definition === undefined) throw new RangeError(`no task ${name}`);
  return definition.levels.map((_, level) => {
    const task = bindTask(definition, { level }, { heldOutSample: HELD_OUT });
    const drawn = Array.from({ length: TRAINED }, (_, index) => task.trainItem(0, index));
    const lines = drawn.map((item, index) => JSON.stringify([item, task.demonstration(item, 0, index)]));
    lines.push(...task.heldOutItems().map((item) => JSON.stringify(item)));
    const digest = new Uint32Array(4);
    murmur3OfText(lines.join('\n'), digest);
    return (digest[0] as number).toString(16).padStart(8, '0');
  });
}
