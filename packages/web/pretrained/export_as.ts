/** A run's model in a form for other programs, written into the browser's own file system, from where a page gives it away. */
import { CheckpointError } from '../../../src/errors.ts';
import type { ConfiguredModel, Progress } from '../../../src/grpo/run.ts';
import { exportModel, lastOrigin } from '../../../src/run/model/model_export.ts';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';
import { EXPORTS, type ExportTarget } from '../../models/run/model/exports.ts';
import { folderOf, openPretrained } from '../../models/run/model/open_pretrained.ts';
import type { Pretrained } from '../../models/run/model/pretrained.ts';
import { opfsStore } from '../store/opfs_store.ts';
import { rootDirectory } from '../store/root_directory.ts';

/** Beside the runs, whose names begin with no dot. */
const FOLDER = '.exports';
const OWN = 'model';

/**
 * @param pretrained  what the run began with
 * @param dtype  default: the first of the form
 * @returns the files by their path; each is read as it is used
 * @throws CheckpointError
 */
export async function exportAs(
  run: ConfiguredModel & Progress,
  pretrained: Pretrained | undefined,
  form: ExportTarget,
  dtype: string = EXPORTS[form].dtypes[0],
): Promise<ReadonlyMap<string, Blob>> {
  const { kind, dtypes, write } = EXPORTS[form];
  if (!dtypes.some((known) => known === dtype)) {
    throw new CheckpointError('no-dtype', `${dtype} — ${form} is written as ${dtypes.join(', ')}.`);
  }
  const own = memoryStore();
  await exportModel(own, OWN, run, lastOrigin(run));
  const files = folderOf(own, OWN);
  const name = pretrained?.name.replace(/\.gguf$/, '') ?? run.engine.tasks.name;
  const place =
    pretrained === undefined || run.config.adapter === undefined
      ? { name, files }
      : { ...pretrained.place, adapter: { name, files } };
  const model = await openPretrained(place);
  const store = await opfsStore(FOLDER);
  for (const before of await store.list('')) await store.remove(before);
  const output = `${name}-${form}-${dtype}${kind === 'file' ? '.gguf' : ''}`;
  await write(store, output, { pretrained: model, dtype: dtype as never });
  const paths = kind === 'file' ? [output] : await pathsIn(store, output);
  return new Map(await Promise.all(paths.map(async (path) => [path, await fileAt(path)] as const)));
}

async function pathsIn(store: Store, folder: string): Promise<string[]> {
  const names = await store.list(folder);
  const found = await Promise.all(
    names.map(async (name) => {
      const path = `${folder}/${name}`;
      return (await store.size(path)) === undefined ? pathsIn(store, path) : [path];
    }),
  );
  return found.flat();
}

async function fileAt(path: string): Promise<File> {
  const names = path.split('/');
  let folder: FileSystemDirectoryHandle = await rootDirectory();
  for (const name of [FOLDER, ...names.slice(0, -1)]) folder = await folder.getDirectoryHandle(name);
  return (await folder.getFileHandle(names.at(-1) as string)).getFile();
}
