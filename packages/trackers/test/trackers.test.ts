import { describe, expect, it } from 'vitest';
import { SENT_TRACKERS, TRACKER_CARDS } from '../../../src/config/tracker_cards.ts';
import { memoryStore } from '../../../src/run/store/store.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { liveTrackers, TRACKERS } from '../trackers.ts';

const RUN = { store: memoryStore(), name: 'countdown', directory: 'runs/countdown' };

function asked(reportTo: string, env: Readonly<Record<string, string>> = {}): number {
  const { config } = parseConfig(`task: sort_digits\nmax_steps: 1\nreport_to: ${reportTo}`, { file: 'x.yaml' });
  return liveTrackers(config, RUN, env).length;
}

describe('trackers', () => {
  it('has each that report_to takes, but for the one that is a log of the run directory', () => {
    expect(Object.keys(TRACKERS)).toEqual(SENT_TRACKERS.map(({ name }) => name));
    expect(TRACKER_CARDS.map(({ name }) => name)).toEqual(['tensorboard', ...Object.keys(TRACKERS)]);
  });

  it('opens those that a config names', () => {
    expect(asked('none')).toBe(0);
    expect(asked('tensorboard')).toBe(0);
    expect(asked('[tensorboard, mlflow]')).toBe(1);
    expect(asked('[mlflow, trackio]')).toBe(2);
  });

  it('opens for "all" those that the environment names', () => {
    expect(asked('all')).toBe(0);
    expect(asked('all', { MLFLOW_TRACKING_URI: 'http://127.0.0.1:5000' })).toBe(1);
  });

  it('refuses an address that is none of a server', () => {
    const refused = () => asked('mlflow', { MLFLOW_TRACKING_URI: 'sqlite:///my.db' });
    expect(refused).toThrow('MLFLOW_TRACKING_URI: "sqlite:///my.db" — not the address of a server; start one with');
  });
});
