/** What a file exports, as a reporter: an object that takes events, or a function of options that gives one. */
import { PluginError } from '../../errors.ts';
import type { Reporter } from '../../run/reporter_event.ts';
import { kindOf } from '../reward_module.ts';

const EXAMPLE = 'export {report(event)}, or a function of options that returns one';

/** @throws PluginError `rule; remedy` where it is none; whatever the function throws */
export function toReporter(value: unknown, called: string, options: Readonly<Record<string, unknown>>): Reporter {
  if (isReporter(value)) {
    const [name] = Object.keys(options);
    if (name === undefined) return value;
    throw new PluginError('bad-module', `${called} takes no options; leave ${name} out, or export a function of them`);
  }
  if (typeof value !== 'function') {
    throw new PluginError('bad-module', `${called} is ${kindOf(value)}, not a reporter; ${EXAMPLE}`);
  }
  const made: unknown = value(options);
  if (isReporter(made)) return made;
  throw new PluginError('bad-module', `${called} is a function that gave ${kindOf(made)}; ${EXAMPLE}`);
}

function isReporter(value: unknown): value is Reporter {
  return typeof value === 'object' && value !== null && 'report' in value && typeof value.report === 'function';
}
