/**
 * The long run: `npm run robustness -- --minutes 30 --seed 7 --replicas 3 --scenario kafka`.
 *
 * Prints the seed first, what is done to the cluster as it happens, and the counts at the end;
 * ends with code 1 where a promise was broken. Then the violations name the operations, and the
 * history is kept, to be judged again: `--judge FOLDER` runs nothing but that.
 *
 * Clients and faults go on for so many minutes. The scenario is embedded, kafka-1, or kafka with three
 * brokers; `--faults A,B` are the only ones of faults.ts that happen; `--program FILE` is another server
 * than the one in dist/.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { judgeAgain, type Report, runRobustness } from './robustness-run.ts';
import type { Violation } from './violation.ts';
import { runArguments } from '../../run-arguments.ts';

const { values } = runArguments(import.meta.filename, {
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string' },
    replicas: { type: 'string' },
    scenario: { type: 'string', default: 'kafka' },
    faults: { type: 'string', default: '' },
    clients: { type: 'string', default: '10' },
    watchers: { type: 'string', default: '22' },
    'pause-ms': { type: 'string', default: '15' },
    program: { type: 'string' },
    judge: { type: 'string' },
  },
});

const BROKERS = { embedded: 0, 'kafka-1': 1, kafka: 3 } as const;

if (values.judge !== undefined) {
  const { violations, counts } = await judgeAgain(values.judge);
  console.log(JSON.stringify(counts));
  show(violations);
  process.exit(violations.length === 0 ? 0 : 1);
}

const { scenario } = values;
if (scenario !== 'embedded' && scenario !== 'kafka-1' && scenario !== 'kafka') {
  throw new Error(`there is no scenario ${scenario}`);
}
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const began = performance.now();
console.log(`seed ${String(seed)}`);

const report = await runRobustness({
  seed,
  durationMs: Number(values.minutes) * 60_000,
  brokers: BROKERS[scenario],
  replicas: scenario === 'embedded' ? 1 : Number(values.replicas ?? 3),
  faults: values.faults === '' ? [] : values.faults.split(','),
  clients: Number(values.clients),
  watchers: Number(values.watchers),
  pauseMs: Number(values['pause-ms']),
  stoppedMs: Number(values.minutes) >= 5 ? 30_000 : 3_000,
  restMs: 4_000,
  told: (what) => {
    console.log(`${((performance.now() - began) / 1_000).toFixed(1)} s: ${what}`);
  },
  ...(values.program === undefined ? {} : { program: values.program }),
});
print(report);
process.exit(report.violations.length === 0 ? 0 : 1);

function print({ violations, folder, serverLogs, ...counts }: Report): void {
  console.log(JSON.stringify(counts, undefined, 2));
  show(violations);
  if (folder === undefined) return;
  writeFileSync(join(folder, 'servers.log'), serverLogs);
  console.log(`history, log and what the servers said: ${folder}`);
}

function show(violations: readonly Violation[]): void {
  for (const { promise, what } of violations.slice(0, 20)) {
    console.log(`VIOLATED ${promise}: ${what}`);
  }
  console.log(`${String(violations.length)} violations`);
}
