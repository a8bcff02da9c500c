/** The thread of a trial: imports a file of the user's, and says that it came to its end. */
import { parentPort, workerData } from 'node:worker_threads';
import { PluginError } from '../errors.ts';
import { importExport, type ModuleReference } from './module.node.ts';

try {
  await importExport(workerData.start as ModuleReference); // trial.node.ts sends it
} catch (error) {
  if (!(error instanceof PluginError)) throw error; // else the run's own thread will say what is wrong with the file
}
parentPort?.postMessage('loaded');
