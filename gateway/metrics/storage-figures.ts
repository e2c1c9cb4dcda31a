/**
 * Lists and writes by resource: those from memory under the names of upstream's watch cache, those
 * that read the log, and writes to it, under the names of its etcd.
 *
 * In Kubernetes: apiserver/pkg/storage/cacher/metrics and apiserver/pkg/storage/etcd3/metrics.
 */
import type {
  ReadMeters,
  WriteMeters,
  WriteOutcome,
} from '../../actors/registry/storage-meters.ts';
import type { ListPage } from '../../projections/list/list-page.ts';
import type { RecordType } from '../../streams/event.ts';
import {
  type FamilyType,
  formatFamily,
  formatHead,
  formatLabels,
  type Sample,
} from './exposition.ts';
import { groupResourceOf, type GroupResource } from './group-resource.ts';
import { bucketBounds, Histogram } from './histogram.ts';
import { DURATIONS } from './request-families.ts';

const WAITS = bucketBounds([0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3]);
const MS = 1_000;
/** Past that, resources share one. */
const RESOURCES_MAX = 2_000;
const NO_RESOURCE: GroupResource = { group: '', resource: '' };

class Lists {
  count = 0;
  looked = 0;
  returned = 0;

  add({ looked, items }: ListPage): void {
    this.count += 1;
    this.looked += looked;
    this.returned += items.length;
  }
}

class Writes {
  readonly operation: string;
  readonly seconds = new Histogram(DURATIONS);
  count = 0;
  errors = 0;

  constructor(operation: string) {
    this.operation = operation;
  }
}

/** All that is counted of one resource. */
class Counted {
  readonly names: GroupResource;
  readonly lists = { memory: new Lists(), log: new Lists() };
  readonly waits = new Histogram(WAITS);
  nowKnown = 0;
  nowUnknown = 0;
  readonly writes = {
    added: new Writes('create'),
    modified: new Writes('update'),
    deleted: new Writes('delete'),
  };

  constructor(names: GroupResource) {
    this.names = names;
  }
}

type Reading = (one: Counted) => Iterable<readonly [more: Record<string, string>, value: number]>;

interface Family {
  readonly name: string;
  readonly help: string;
  readonly read: Reading;
}

const IN_MEMORY: readonly Family[] = [
  {
    name: 'apiserver_cache_list_total',
    help: 'Lists that were read from memory.',
    read: ({ lists: { memory } }) => some({ index: '' }, memory.count, memory),
  },
  {
    name: 'apiserver_cache_list_fetched_objects_total',
    help: 'Objects in memory that were looked at for lists.',
    read: ({ lists: { memory } }) => some({ index: '' }, memory.looked, memory),
  },
  {
    name: 'apiserver_cache_list_returned_objects_total',
    help: 'Objects in lists that were read from memory.',
    read: ({ lists: { memory } }) => some({}, memory.returned, memory),
  },
  {
    name: 'apiserver_watch_cache_consistent_read_total',
    help: 'Lists of what is there now, by whether it could be told how far that is.',
    read: ({ nowKnown, nowUnknown }) => [
      ...only({ success: 'true', fallback: 'false' }, nowKnown),
      ...only({ success: 'false', fallback: 'false' }, nowUnknown),
    ],
  },
];

const IN_LOG: readonly Family[] = [
  {
    name: 'apiserver_storage_list_total',
    help: 'Lists of a past that memory does not reach back to, read from the log.',
    read: ({ lists: { log } }) => some({}, log.count, log),
  },
  {
    name: 'apiserver_storage_list_fetched_objects_total',
    help: 'Objects that were read from the log for lists.',
    read: ({ lists: { log } }) => some({}, log.looked, log),
  },
  {
    name: 'apiserver_storage_list_evaluated_objects_total',
    help: 'Objects from the log that were compared with the selectors of lists.',
    read: ({ lists: { log } }) => some({}, log.looked, log),
  },
  {
    name: 'apiserver_storage_list_returned_objects_total',
    help: 'Objects in lists that were read from the log.',
    read: ({ lists: { log } }) => some({}, log.returned, log),
  },
  {
    name: 'etcd_requests_total',
    help: 'Events that were sent to the log.',
    read: ({ writes }) =>
      Object.values(writes).flatMap(({ operation, count }) => only({ operation }, count)),
  },
  {
    name: 'etcd_request_errors_total',
    help: 'Events that the log did not take, or of which that is unknown.',
    read: ({ writes }) =>
      Object.values(writes).flatMap(({ operation, errors }) => only({ operation }, errors)),
  },
];

const WRITE_SECONDS = 'etcd_request_duration_seconds';
const WAIT_SECONDS = 'apiserver_watch_cache_read_wait_seconds';

export class StorageFigures implements ReadMeters, WriteMeters {
  readonly #others = new Counted(NO_RESOURCE);
  readonly #byResource = new Map<string, Counted>();

  listed(resource: string, page: ListPage): void {
    this.#of(resource).lists[page.source].add(page);
  }

  readNow(resource: string, isKnown: boolean): void {
    const counted = this.#of(resource);
    if (isKnown) counted.nowKnown += 1;
    else counted.nowUnknown += 1;
  }

  waited(resource: string, ms: number): void {
    this.#of(resource).waits.observe(ms / MS);
  }

  written(resource: string, type: RecordType, { ms, isFailed }: WriteOutcome): void {
    if (type === 'marker') return;
    const writes = this.#of(resource).writes[type];
    writes.count += 1;
    writes.seconds.observe(ms / MS);
    if (isFailed) writes.errors += 1;
  }

  /** All families in Prometheus' text format; of resources that a client has asked for. */
  format(): string {
    const all = [...this.#byResource.values(), this.#others];
    const waits = all.map(({ names, waits: one }) =>
      one.format(WAIT_SECONDS, formatLabels({ ...names })),
    );
    const writes = all.flatMap(({ names, writes: ofOne }) =>
      Object.values(ofOne).map(({ operation, seconds }) =>
        seconds.format(WRITE_SECONDS, formatLabels({ operation, ...names })),
      ),
    );
    return [
      ...IN_MEMORY.map((family) => formatCounter(family, all)),
      histogram(WAIT_SECONDS, 'How long reads waited until the views had come far enough.', waits),
      ...IN_LOG.map((family) => formatCounter(family, all)),
      histogram(
        WRITE_SECONDS,
        'How long it takes until an event is in the log and applied.',
        writes,
      ),
    ].join('');
  }

  #of(resource: string): Counted {
    const known = this.#byResource.get(resource);
    if (known !== undefined) return known;
    if (this.#byResource.size >= RESOURCES_MAX) return this.#others;
    const counted = new Counted(groupResourceOf(resource));
    this.#byResource.set(resource, counted);
    return counted;
  }
}

/** Also where it is 0, once there was such a list. */
function some(more: Record<string, string>, value: number, { count }: Lists): ReturnType<Reading> {
  return count === 0 ? [] : [[more, value]];
}

function only(more: Record<string, string>, value: number): [Record<string, string>, number][] {
  return value === 0 ? [] : [[more, value]];
}

function formatCounter({ name, help, read }: Family, all: readonly Counted[]): string {
  const samples: Sample[] = [];
  for (const one of all) {
    for (const [more, value] of read(one)) {
      samples.push({ labels: formatLabels({ ...one.names, ...more }), value });
    }
  }
  const type: FamilyType = 'counter';
  return formatFamily({ name, type, help }, samples);
}

function histogram(name: string, help: string, parts: readonly string[]): string {
  const lines = parts.join('');
  return lines === '' ? '' : formatHead(name, 'histogram', help) + lines;
}
