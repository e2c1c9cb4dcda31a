/** The figures of the controllers' queues, under upstream's names. */
import {
  workQueueFigures,
  type WorkQueueFigures,
} from '../../actors/controllers/work-queue-figures.ts';
import type { Clock } from '../../api/meta/clock.ts';
import type { Tally } from '../../actors/flow-control/flow-figures.ts';
import { formatHead } from './exposition.ts';
import { formatTally } from './flow-control-figures.ts';
import type { Metrics } from './metrics.ts';

type Reading = readonly [name: string, help: string, read: (one: WorkQueueFigures) => number];

const COUNTERS: readonly Reading[] = [
  ['workqueue_adds_total', 'Names that were added to a queue.', (one) => one.adds],
  ['workqueue_retries_total', 'Names that had to be looked at again.', (one) => one.retries],
];

const TALLIES: readonly [name: string, help: string, read: (one: WorkQueueFigures) => Tally][] = [
  ['workqueue_queue_duration_seconds', 'How long names wait.', (one) => one.queueSeconds],
  ['workqueue_work_duration_seconds', 'How long looking at one takes.', (one) => one.workSeconds],
];

const MS = 1_000;

/** @param clock by which running work has lasted so long. */
export function measureWorkQueues(metrics: Metrics, clock: Pick<Clock, 'now'>): void {
  const perQueue = (read: Reading[2]) => () =>
    [...workQueueFigures()].map((one) => ({ labels: { name: one.name }, value: read(one) }));
  for (const [name, help, read] of COUNTERS) metrics.counter(name, help, perQueue(read));
  metrics.gauge(
    'workqueue_depth',
    'Names that wait now.',
    perQueue(({ depth }) => depth),
  );
  const elapsed = ({ begun }: WorkQueueFigures): number[] =>
    [...begun].map(({ at }) => (clock.now() - at) / MS);
  metrics.gauge(
    'workqueue_unfinished_work_seconds',
    'How long all that is being looked at has taken so far.',
    perQueue((one) => elapsed(one).reduce((sum, seconds) => sum + seconds, 0)),
  );
  metrics.gauge(
    'workqueue_longest_running_processor_seconds',
    'How long the one has taken so far that takes longest.',
    perQueue((one) => Math.max(0, ...elapsed(one))),
  );
  metrics.text(() => TALLIES.map(formatFamilyOf).join(''));
}

function formatFamilyOf([family, help, read]: (typeof TALLIES)[number]): string {
  const lines = [...workQueueFigures()].map((one) =>
    formatTally(family, { name: one.name }, read(one)),
  );
  const text = lines.join('');
  return text === '' ? '' : formatHead(family, 'histogram', help) + text;
}
