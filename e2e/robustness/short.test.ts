/**
 * The short form of `npm run robustness`: half a minute and a minute of traffic, watches and faults, and everything
 * that was told is judged. A run is repeated, as far as the moments allow, with EVERWATCH_SEED=<seed>.
 */
import { describe, expect, it } from 'vitest';

import { describeWith } from '../support/requirements.ts';
import { type Report, runRobustness, type RunOptions } from './robustness-run.ts';

const SHORT = {
  faults: [],
  clients: 8,
  watchers: 22,
  pauseMs: 15,
  stoppedMs: 3_000,
  restMs: 2_000,
} as const;

async function ran(
  options: Pick<RunOptions, 'replicas' | 'brokers' | 'durationMs'> & Partial<RunOptions>,
): Promise<Report> {
  const seed = Number(process.env['EVERWATCH_SEED'] ?? Date.now() % 1_000_000);
  console.log(`EVERWATCH_SEED=${String(seed)}`);
  const said: string[] = [];
  const told = (what: string): void => {
    said.push(what);
  };
  const report = await runRobustness({ ...SHORT, seed, told, ...options });
  const { violations, serverLogs, ...counts } = report;
  console.log(JSON.stringify(counts));
  if (violations.length > 0) console.error(serverLogs.slice(-20_000));
  expect(violations.slice(0, 10), `seed ${String(seed)}, faults ${said.join()}`).toEqual([]);
  return report;
}

/** Starting brokers, and coming to peace with them, may take long on a small machine. */
const TEST_TIMEOUT_MS = 8 * 60_000;

describe('one replica on the embedded log', () => {
  it(
    'keeps every promise while it is killed, stopped, torn and out of disk',
    async () => {
      const { operations, judged, faults } = await ran({
        replicas: 1,
        brokers: 0,
        durationMs: 35_000,
      });
      expect(Object.keys(operations).sort()).toEqual(
        ['create', 'delete', 'get', 'list', 'patch', 'update'].sort(),
      );
      expect(judged.watchEvents).toBeGreaterThan(100);
      expect(Object.values(faults).length).toBeGreaterThan(0);
    },
    TEST_TIMEOUT_MS,
  );
});

await describeWith('kafka', 'replicas on Kafka', () => {
  it(
    'keep every promise while they, the brokers and the network fail',
    async () => {
      const { log, faults } = await ran({ replicas: 3, brokers: 3, durationMs: 60_000 });
      expect(log.markers).toBeGreaterThan(0);
      expect(Object.values(faults).length).toBeGreaterThan(1);
    },
    TEST_TIMEOUT_MS,
  );
});
