/**
 * The figures of priority and fairness under upstream's names. All of them are counted anyway; they
 * are read when they are asked for.
 *
 * In Kubernetes: apiserver/pkg/util/flowcontrol/metrics.
 */
import type { FlowControl } from '../../actors/flow-control/flow-control.ts';
import { type FairQueue, SERVICE_MS } from '../../actors/flow-control/fair-queue.ts';
import type { FlowFigures, Tally } from '../../actors/flow-control/flow-figures.ts';
import type { PriorityLevel } from '../../actors/flow-control/priority-level.ts';
import { seatWork, workInSeconds } from '../../actors/flow-control/seats.ts';
import { formatHead, formatLabels, formatNumber } from './exposition.ts';
import type { LabelledFigure, Metrics } from './metrics.ts';

const PREFIX = 'apiserver_flowcontrol_';

type FlowFigure = readonly [name: string, help: string, read: (figures: FlowFigures) => number];
type LevelFigure = readonly [name: string, help: string, read: (level: PriorityLevel) => number];

const FLOW_COUNTERS: readonly FlowFigure[] = [
  ['dispatched_requests_total', 'Requests that got a seat.', (one) => one.dispatched],
  [
    'request_dispatch_no_accommodation_total',
    'How often the next request was wider than the seats that were free.',
    (one) => one.tooWide,
  ],
];

const FLOW_GAUGES: readonly FlowFigure[] = [
  ['current_inqueue_requests', 'Requests that wait now.', (one) => one.waiting],
  ['current_inqueue_seats', 'Seats that are waited for now.', (one) => one.waitingSeats],
  ['current_executing_requests', 'Requests that are served now.', (one) => one.executing],
  ['current_executing_seats', 'Seats that are taken now.', (one) => one.executingSeats],
];

const LEVEL_GAUGES: readonly LevelFigure[] = [
  ['nominal_limit_seats', 'Seats of a level by its shares.', (level) => level.nominal],
  ['lower_limit_seats', 'Seats that a level keeps when it lends.', (level) => level.lower],
  ['upper_limit_seats', 'Seats that a level has when it borrows.', (level) => level.upper],
  ['current_limit_seats', 'Seats of a level now.', (level) => level.current ?? 0],
  ['target_seats', 'Seats that a level was to have.', (level) => level.target],
  [
    'demand_seats_high_watermark',
    'The most seats that a level could use in the last period.',
    ({ demand }) => demand.highWatermark,
  ],
  ['demand_seats_average', 'Seats that it could use.', ({ demand }) => demand.average],
  ['demand_seats_stdev', 'How much that varied.', ({ demand }) => demand.deviation],
  ['demand_seats_smoothed', 'The same over some minutes.', ({ demand }) => demand.smoothed],
  ['current_r', 'The virtual clock of a level.', ({ queues }) => workInSeconds(queues.currentR)],
  [
    'dispatch_r',
    'The virtual clock when a request left its queue last.',
    ({ queues }) => workInSeconds(queues.dispatchR),
  ],
  ['latest_s', 'When that was due on it.', ({ queues }) => workInSeconds(queues.latestS)],
];

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Registers the families; flows and levels that come later are shown as well. */
export function measureFlowControl(metrics: Metrics, flowControl: FlowControl): void {
  const perFlow = (read: FlowFigure[2]) => (): LabelledFigure[] =>
    [...flowControl.figures].map((one) => ({ labels: labelsOf(one), value: read(one) }));
  const perLevel = (read: LevelFigure[2]) => (): LabelledFigure[] =>
    [...flowControl.levels].map((level) => {
      return { labels: { priority_level: level.name }, value: read(level) };
    });
  for (const [name, help, read] of FLOW_COUNTERS) {
    metrics.counter(`${PREFIX}${name}`, help, perFlow(read));
  }
  for (const [name, help, read] of FLOW_GAUGES) {
    metrics.gauge(`${PREFIX}${name}`, help, perFlow(read));
  }
  const older = 'Seats that are taken now, under an older name.';
  metrics.hiddenGauge(
    `${PREFIX}request_concurrency_in_use`,
    older,
    perFlow((one) => one.executingSeats),
  );
  for (const [name, help, read] of LEVEL_GAUGES) {
    metrics.gauge(`${PREFIX}${name}`, help, perLevel(read));
  }
  metrics.counter(`${PREFIX}rejected_requests_total`, 'Requests that got no seat.', () =>
    [...flowControl.figures].flatMap(rejections),
  );
  metrics.counter(`${PREFIX}epoch_advance_total`, 'How often the virtual clock was put back.', () =>
    [...flowControl.levels].flatMap(epochs),
  );
  const due = 'When the next requests of the queues are due, the earliest and the latest.';
  metrics.gauge(`${PREFIX}next_s_bounds`, due, () =>
    [...flowControl.levels].flatMap((level) => boundsOf(level, (queue) => queue.nextDispatchR)),
  );
  const left = 'The same without the work that is under way.';
  metrics.gauge(`${PREFIX}next_discounted_s_bounds`, left, () =>
    [...flowControl.levels].flatMap((level) => boundsOf(level, discounted)),
  );
  const waiting = 'Requests that wait for a seat now.';
  metrics.gauge('apiserver_current_inqueue_requests', waiting, () => waitingByKind(flowControl));
  const fair = 'What part of its target a level gets that no bound holds up.';
  metrics.gauge(`${PREFIX}seat_fair_frac`, fair, () => flowControl.config.fairFraction);
  metrics.text(() => formatTallies([...flowControl.figures]));
}

function labelsOf({ level, schema }: FlowFigures): Record<string, string> {
  return { priority_level: level, flow_schema: schema };
}

function rejections(figures: FlowFigures): LabelledFigure[] {
  return Object.entries(figures.rejected).flatMap(([reason, value]) =>
    value === 0 ? [] : [{ labels: { ...labelsOf(figures), reason }, value }],
  );
}

function epochs({ name, queues }: PriorityLevel): LabelledFigure[] {
  const labels = { priority_level: name, success: 'true' };
  return queues.epochs === 0 ? [] : [{ labels, value: queues.epochs }];
}

/** Over the queues in which a request waits; nothing where there is none. */
function boundsOf(
  { name, queues }: PriorityLevel,
  read: (queue: FairQueue) => number,
): LabelledFigure[] {
  const all = queues.queues.filter(({ waiting }) => waiting > 0).map(read);
  if (all.length === 0) return [];
  const figure = (bound: string, work: number): LabelledFigure => {
    return { labels: { priority_level: name, bound }, value: workInSeconds(work) };
  };
  return [figure('min', Math.min(...all)), figure('max', Math.max(...all))];
}

function discounted({ nextDispatchR, seatsInUse }: FairQueue): number {
  return nextDispatchR - seatWork(seatsInUse, SERVICE_MS);
}

function waitingByKind({ waiting }: FlowControl): LabelledFigure[] {
  let mutating = 0;
  let readOnly = 0;
  for (const { request } of waiting) {
    if (READS.has(request?.info.verb ?? '')) readOnly += 1;
    else mutating += 1;
  }
  return [
    { labels: { request_kind: 'mutating' }, value: mutating },
    { labels: { request_kind: 'readOnly' }, value: readOnly },
  ];
}

interface TallyFamily {
  readonly name: string;
  readonly help: string;
  readonly read: (figures: FlowFigures) => readonly (readonly [Record<string, string>, Tally])[];
}

const TALLIES: readonly TallyFamily[] = [
  {
    name: 'request_wait_duration_seconds',
    help: 'How long requests waited for a seat.',
    read: (one) => [
      [{ execute: 'true' }, one.waitSeconds],
      [{ execute: 'false' }, one.vainWaitSeconds],
    ],
  },
  {
    name: 'request_execution_seconds',
    help: 'How long requests sat; watches until they began to wait for changes.',
    read: (one) => [
      [{ type: 'regular' }, one.regularSeconds],
      [{ type: 'watch' }, one.watchSeconds],
    ],
  },
  {
    name: 'request_queue_length_after_enqueue',
    help: 'How long a queue was when a request had joined it.',
    read: (one) => [[{}, one.queueLengths]],
  },
  {
    name: 'work_estimated_seats',
    help: 'Seats that requests were taken to need.',
    read: (one) => [[{}, one.estimatedSeats]],
  },
  {
    name: 'watch_count_samples',
    help: 'Watches that writes were taken to concern.',
    read: (one) => [[{}, one.watchCounts]],
  },
];

function formatTallies(flows: readonly FlowFigures[]): string {
  let text = '';
  for (const { name, help, read } of TALLIES) {
    let lines = '';
    for (const flow of flows) {
      for (const [labels, tally] of read(flow)) {
        lines += formatTally(`${PREFIX}${name}`, { ...labelsOf(flow), ...labels }, tally);
      }
    }
    if (lines !== '') text += formatHead(`${PREFIX}${name}`, 'histogram', help) + lines;
  }
  return text;
}

/** The lines of one histogram; none when nothing was observed. */
export function formatTally(name: string, labels: Record<string, string>, tally: Tally): string {
  let count = 0;
  let lines = '';
  for (const [at, own] of tally.counts.entries()) {
    count += own;
    const bound = tally.bounds[at];
    const le = bound === undefined ? '+Inf' : formatNumber(bound);
    lines += `${name}_bucket{${formatLabels({ ...labels, le })}} ${String(count)}\n`;
  }
  if (count === 0) return '';
  const where = formatLabels(labels);
  const sum = `${name}_sum{${where}} ${formatNumber(tally.sum)}\n`;
  return `${lines}${sum}${name}_count{${where}} ${String(count)}\n`;
}
