/** rows.yaml, read: the runs that the arena is made of. */
import { createHash } from 'node:crypto';

const ROW_KEYS = ['id', 'of', 'set', 'rate', 'seeds_from', 'claims', 'why', 'tasks'];
const BLOCK_KEYS = ['does', 'tasks', 'set', 'start', 'baseline', 'rows'];

/** A mistake in the file, in words for the person who wrote it. */
export class RowsError extends Error {}

/**
 * @param rows  the parsed file
 * @param file  its name, for errors
 * @param configs  parsed configs by their name in the file
 * @param known  ids of methods that there are
 * @returns a list of rows in the order of the file, task by task
 */
export function readRows(rows, { file, configs, known }) {
  const refuse = (where, rule) => {
    throw new RowsError(`${file}: ${where} — ${rule}.`);
  };
  const tasks = Object.entries(rows?.tasks ?? {});
  const blocks = Object.entries(rows?.blocks ?? {});
  if (tasks.length === 0 || blocks.length === 0) refuse('tasks, blocks', 'each needs one entry or more');
  const found = blocks.flatMap(([block, { rows: own = [], set: ofBlock = {}, ...rest }]) => {
    for (const [where, entry, keys] of [
      [`blocks.${block}`, rows.blocks[block], BLOCK_KEYS],
      ...own.map((row) => [`blocks.${block}, row ${row.id}`, row, ROW_KEYS]),
    ]) {
      const strange = Object.keys(entry).find((key) => !keys.includes(key));
      if (strange !== undefined) refuse(where, `${strange} is no key of it; it takes ${keys.join(', ')}`);
    }
    const ids = own.map(({ id }) => id);
    const twice = ids.find((id, i) => ids.indexOf(id) !== i);
    if (twice !== undefined) refuse(`blocks.${block}`, `${twice} is there twice; give one another id`);
    const baseline = rest.baseline?.includes('/') ? rest.baseline : `${block}/${rest.baseline}`;
    const [baseBlock, baseRow] = baseline.split('/');
    if (!rows.blocks[baseBlock]?.rows?.some(({ id }) => id === baseRow))
      refuse(`blocks.${block}.baseline`, `${rest.baseline} is no row; name one of its rows, or BLOCK/ROW`);
    const strange = rest.tasks?.find((name) => rows.tasks[name] === undefined);
    if (strange !== undefined) refuse(`blocks.${block}.tasks`, `${strange} is no task of this file`);
    return tasks
      .filter(([name]) => rest.tasks === undefined || rest.tasks.includes(name))
      .flatMap(([task, { config, start }]) =>
        own
          .filter(({ tasks: names }) => names === undefined || names.includes(task))
          .map(({ id, of = [], set = {}, rate = 1, seeds_from: seedsFrom = 0, claims, why }) => {
            const unknown = of.find((name) => !known.has(name));
            if (unknown !== undefined)
              refuse(`blocks.${block}, row ${id}`, `${unknown} is no method; rlvr-train methods ls lists them`);
            return {
              task,
              block,
              id,
              of,
              claims,
              why: why?.[task],
              baseline,
              seedsFrom,
              rate,
              config,
              set: { ...ofBlock, ...set },
              ...(start !== undefined && { start: { config: start, set: rest.start ?? {} } }),
            };
          }),
      );
  });
  for (const { config, start } of found) {
    for (const name of [config, start?.config]) {
      if (name !== undefined && configs[name] === undefined) refuse('tasks', `${name} is no config beside this file`);
    }
  }
  return tasks.flatMap(([name]) => found.filter(({ task }) => task === name));
}

/**
 * One run of a row.
 *
 * @param index  which of the row's seeds; runs of one index have the same start
 * @param rate  what its learning rate is multiplied by, beside the row's own rate
 */
export function runOf(row, index, configs, rate = 1) {
  const ownRate = row.set.learning_rate ?? configs[row.config].stages.at(-1).learning_rate;
  const factor = rate * row.rate;
  const set = factor === 1 ? row.set : { ...row.set, learning_rate: ownRate * factor };
  const seed = row.seedsFrom + index;
  const start = row.start && { ...row.start, seed: index, name: nameOfStart(row) };
  const what = [configs[row.config], start && [configs[start.config], start.set, index], set, seed];
  return {
    row,
    index,
    rate,
    seed,
    set,
    start,
    name: `${row.block}/${row.id.replaceAll(/[^\w.+-]+/g, '-')}${rate === 1 ? '' : `-rate-${rate}`}`,
    digest: createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 16),
  };
}

function nameOfStart({ block, start }) {
  return Object.keys(start.set).length === 0 ? 'start' : `${block}/start`;
}

/** As `--set` takes them, in the one stage of that kind. */
export function assignments(stage, set) {
  return Object.entries(set).map(([key, value]) => `${stage}.${key}=${JSON.stringify(value)}`);
}
