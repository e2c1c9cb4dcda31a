/**
 * What priority and fairness is doing just now, as tables for people: one row for each level, for
 * each queue, or for each request.
 *
 * In Kubernetes: apf_controller_debug.go, apiserver/pkg/util/flowcontrol.
 */
import type { FairQueue, Ticket } from '../../actors/flow-control/fair-queue.ts';
import type { FlowControl } from '../../actors/flow-control/flow-control.ts';
import type { PriorityLevel } from '../../actors/flow-control/priority-level.ts';
import { formatWork } from '../../actors/flow-control/seats.ts';
import { queryValue } from '../../api/meta/web-addresses.ts';
import { textAnswer, type Route } from './route.ts';

type Row = readonly string[];

const PREFIX = '/debug/api_priority_and_fairness/';

const LEVEL_COLUMNS = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
];
const QUEUE_COLUMNS = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];
const REQUEST_COLUMNS = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  // As upstream spells it.
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];
const DETAIL_COLUMNS = [
  'UserName',
  'Verb',
  'APIPath',
  'Namespace',
  'Name',
  'APIVersion',
  'Resource',
  'SubResource',
];

/** `/debug/api_priority_and_fairness/dump_*`; undefined answers: the path is not one of these. */
export function flowControlRoute(flowControl: FlowControl): Route {
  return (request) => {
    const { path } = request.info;
    if (!path.startsWith(PREFIX)) return undefined;
    const levels = [...flowControl.levels].sort((a, b) => (a.name < b.name ? -1 : 1));
    switch (path.slice(PREFIX.length)) {
      case 'dump_priority_levels':
        return textAnswer(200, tableOf([LEVEL_COLUMNS, ...levels.map(levelRow)]));
      case 'dump_queues':
        return textAnswer(200, tableOf([QUEUE_COLUMNS, ...levels.flatMap(queueRows)]));
      case 'dump_requests': {
        const withDetails = (queryValue(request.query, 'includeRequestDetails') ?? '') !== '';
        const columns = withDetails ? [...REQUEST_COLUMNS, ...DETAIL_COLUMNS] : REQUEST_COLUMNS;
        const rows = levels.flatMap((level) => requestRows(level, withDetails));
        return textAnswer(200, tableOf([columns, ...rows]));
      }
      default:
        return undefined;
    }
  };
}

function levelRow({ name, queues, isQuiescing }: PriorityLevel): Row {
  const numbers = [
    queues.waiting,
    queues.executing.size,
    queues.dispatched,
    queues.rejected,
    // Upstream has the column and never counts: a request that waits too long is cancelled.
    0,
    queues.cancelled,
  ];
  const active = queues.queues.filter(({ waiting }) => waiting > 0).length;
  return [name, String(active), String(queues.isIdle), String(isQuiescing), ...numbers.map(String)];
}

function queueRows({ name, queues }: PriorityLevel): Row[] {
  return queues.queues.map((queue) => [
    name,
    String(queue.index),
    String(queue.waiting),
    String(queue.executing),
    String(queue.seatsInUse),
    formatWork(queue.nextDispatchR),
    String(queue.initialSeatsWaiting),
    String(queue.seatsWaiting),
    formatWork(queue.workWaiting),
  ]);
}

function requestRows({ name, queues }: PriorityLevel, withDetails: boolean): Row[] {
  const rows: Row[] = [];
  function add(ticket: Ticket, queue: FairQueue | undefined, index: number): void {
    const place = [String(queue?.index ?? -1), String(index)];
    const row = [name, ticket.flow.schema, ...place, ...ticketCells(ticket)];
    rows.push(withDetails ? [...row, ...detailCells(ticket)] : row);
  }
  for (const queue of queues.queues) {
    for (const [index, ticket] of [...queue.inOrder()].entries()) add(ticket, queue, index);
  }
  for (const ticket of queues.executing) add(ticket, ticket.queue, -1);
  return rows;
}

const NEVER = '0001-01-01T00:00:00Z';

function ticketCells({ flow, arrivedAt, startedAt, ...ticket }: Ticket): string[] {
  return [
    flow.distinguisher,
    new Date(arrivedAt).toISOString(),
    String(ticket.initialSeats),
    String(ticket.finalSeats),
    `${String(ticket.lingerMs)}${ticket.lingerMs === 0 ? '' : 'm'}s`,
    startedAt === 0 ? NEVER : new Date(startedAt).toISOString(),
  ];
}

function detailCells({ request }: Ticket): string[] {
  if (request === undefined) return DETAIL_COLUMNS.map(() => '');
  const { apiGroup, apiVersion, ...info } = request.info;
  return [
    request.user.name,
    info.verb,
    info.path,
    info.namespace,
    info.name,
    apiGroup === '' ? apiVersion : `${apiGroup}/${apiVersion}`,
    info.resource,
    info.subresource,
  ];
}

const CELL_MIN = 8;

/** Cells end in a comma, and begin below each other as Go's tabwriter has them. */
function tableOf(rows: readonly Row[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.slice(0, -1).entries()) {
      widths[at] = Math.max(widths[at] ?? 0, CELL_MIN, cell.length + 2);
    }
  }
  const lines = rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : `${cell},`.padEnd(widths[at] ?? 0)))
      .join(''),
  );
  return `${lines.join('\n')}\n`;
}
