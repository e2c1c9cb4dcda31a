/**
 * How much a request will take, before it is carried out: a list by the number and size of the objects
 * that it reads, a watch by what it has to send first, and a write by how many watches are told of it.
 * How many objects there are is looked at again from time to time, and only when a client lists them.
 *
 * What upstream reads from its cache we read from memory, and what it reads from etcd are here lists
 * of the past: those of an older version, and the further pages of a list.
 *
 * In Kubernetes: NewWorkEstimator and StorageObjectCountTracker, apiserver/pkg/util/flowcontrol/request.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { queryValue } from '../../api/meta/web-addresses.ts';
import type { RequestInfo } from '../request/request.ts';
import { msPerSeat, seatsOnly, seatWork, type WorkEstimate } from './seats.ts';

interface ObjectStats {
  readonly count: number;
  readonly averageBytes: number;
}

const LOOK_EVERY_MS = 60_000;
/** Objects of one resource are mostly alike. */
const SAMPLE = 64;

interface Looked {
  readonly averageBytes: number;
  readonly until: number;
}

export class ObjectSizes {
  readonly #objects: ObjectView;
  readonly #clock: Clock;
  readonly #looked = new Map<string, Looked>();

  constructor(objects: ObjectView, clock: Clock) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** undefined: none of them is stored. */
  of(group: string, resource: string): ObjectStats | undefined {
    const storage = `${group === '' ? 'core' : group}/${resource}`;
    if (!this.#objects.has(storage)) return undefined;
    const count = this.#objects.of(storage).size;
    if (count === 0) return { count, averageBytes: 0 };
    const now = this.#clock.now();
    let looked = this.#looked.get(storage);
    if (looked === undefined || looked.until < now) {
      looked = { averageBytes: this.#average(storage), until: now + LOOK_EVERY_MS };
      this.#looked.set(storage, looked);
    }
    return { count, averageBytes: looked.averageBytes };
  }

  #average(storage: string): number {
    let bytes = 0;
    let seen = 0;
    for (const { json } of this.#objects.of(storage).inOrder('')) {
      bytes += json.length;
      seen += 1;
      if (seen === SAMPLE) break;
    }
    return seen === 0 ? 0 : Math.round(bytes / seen);
  }
}

export interface WorkEstimatorParts {
  /** undefined: nothing is known of the resource. */
  readonly statsOf: (group: string, resource: string) => ObjectStats | undefined;
  /** How many watches are told of what the request changes. */
  readonly watchesOf: (info: RequestInfo) => number;
}

interface AskedWork {
  readonly info: RequestInfo;
  readonly query: string;
  /** What one request may take at most at its level; 0: no more than any request. */
  readonly seatsMax: number;
}

export interface Estimate {
  readonly work: WorkEstimate;
  /** undefined: no watch was asked about. */
  readonly watches: number | undefined;
}

const ONE_SEAT: Estimate = { work: seatsOnly(1), watches: undefined };
const LIST_SEATS_MAX = 100;
const WRITE_SEATS_MAX = 10;
const BYTES_PER_SEAT = 100_000;
/** A list of what is in memory is written bit by bit. */
const STREAMED_BYTES_MAX = 1_000_000;
const OBJECT_BYTES_MAX = 1_500_000;
const WATCHES_PER_SEAT = 10;
const EVENT_MS = 5;

export function estimateWork(parts: WorkEstimatorParts, asked: AskedWork): Estimate {
  switch (asked.info.verb) {
    case 'list':
    case 'watch':
      return estimateList(parts, asked);
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
      return estimateWrite(parts, asked);
    default:
      return ONE_SEAT;
  }
}

function sendsState(query: string): boolean {
  if (isTrue(queryValue(query, 'sendInitialEvents'))) return true;
  const version = queryValue(query, 'resourceVersion') ?? '';
  return version === '' || version === '0';
}

function estimateList({ statsOf }: WorkEstimatorParts, { info, query, seatsMax }: AskedWork) {
  const most = cappedAt(LIST_SEATS_MAX, seatsMax);
  const limit = Number(queryValue(query, 'limit') ?? '0');
  // It is going to be refused, and costs what the worst of its kind would.
  if (!Number.isSafeInteger(limit)) return { work: seatsOnly(most), watches: undefined };
  if (info.verb === 'watch' && !sendsState(query)) return ONE_SEAT;
  const stats = statsOf(info.apiGroup, info.resource);
  if (stats === undefined) return ONE_SEAT;
  const bytes = bytesAtOnce(stats, { info, query, limit });
  const seats = Math.min(most, Math.max(1, Math.ceil(bytes / BYTES_PER_SEAT)));
  return { work: seatsOnly(seats), watches: undefined };
}

interface Listed {
  readonly info: RequestInfo;
  readonly query: string;
  readonly limit: number;
}

function bytesAtOnce(stats: ObjectStats, listed: Listed): number {
  const { info, limit } = listed;
  const { count } = stats;
  const isUnknown = stats.averageBytes <= 0 && count > 0;
  const averageBytes = isUnknown ? OBJECT_BYTES_MAX : stats.averageBytes;
  const limited = limit > 0 ? Math.min(limit, count) : count;
  const isOfNow = info.verb === 'watch' || !isOfThePast(listed);
  const isOne = info.name !== '';
  const isSelected = info.fieldSelector !== '' || info.labelSelector !== '';
  const objects = isSelected && !isOfNow ? Math.max(limited, Math.floor(count / 2)) : limited;
  const bytes = (isOne ? 1 : objects) * averageBytes;
  return isOfNow ? Math.min(bytes, STREAMED_BYTES_MAX) : bytes;
}

/** Of a version with a limit, that very version is meant. */
function isOfThePast({ info, query, limit }: Listed): boolean {
  if (info.at !== '') return true;
  if (query === '') return false;
  const match = queryValue(query, 'resourceVersionMatch') ?? '';
  if (match !== '') return match !== 'NotOlderThan';
  if ((queryValue(query, 'continue') ?? '') !== '') return true;
  const version = queryValue(query, 'resourceVersion') ?? '';
  return limit > 0 && version !== '' && version !== '0';
}

function estimateWrite({ watchesOf }: WorkEstimatorParts, { info, seatsMax }: AskedWork): Estimate {
  // A token is no change of its account.
  if (info.resource === 'serviceaccounts' && info.subresource === 'token') return ONE_SEAT;
  const watches = watchesOf(info);
  if (watches < WATCHES_PER_SEAT) return { work: ONE_SEAT.work, watches };
  const wanted = Math.ceil(watches / WATCHES_PER_SEAT);
  // The same work on fewer seats: a wide request holds up all that wait behind it.
  const finalSeats = Math.min(wanted, cappedAt(WRITE_SEATS_MAX, seatsMax));
  const lingerMs = msPerSeat(seatWork(wanted, EVENT_MS), finalSeats);
  return { work: { initialSeats: 1, finalSeats, lingerMs }, watches };
}

function cappedAt(most: number, seatsMax: number): number {
  return seatsMax === 0 ? most : Math.min(most, seatsMax);
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false';
}
