/**
 * Traces of SimKube, version 2: what was applied to a cluster and deleted from it, second by second, as
 * MessagePack. Some keys of its maps are pairs and some of its numbers have 64 bits, so it is no JSON in
 * other clothes, and a map of it is a Map here until it is known to be an object.
 *
 * In SimKube: Trace, sk-core/src/trace, version 2.7.
 */
import { Packr, Unpackr } from 'msgpackr';

import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json/json.ts';

/** What happened in one second. */
export interface TraceEvent {
  /** Seconds since 1970. */
  readonly ts: number;
  /** Each with kind and apiVersion, and without what its server gave it. */
  readonly applied: readonly JsonObject[];
  readonly deleted: readonly JsonObject[];
}

/** A pod's first second and, once it has ended, its last. */
export type PodLife = readonly [start: number] | readonly [start: number, end: number];

export interface Trace {
  /** By group, version and kind as `apps/v1.Deployment`, where in an object its pods are described. */
  readonly tracked: ReadonlyMap<string, readonly string[]>;
  /** The first is the state in which the trace begins. */
  readonly events: readonly TraceEvent[];
  /** By kind and `<namespace>/<name>` the hash of the last spec of every object in the events. */
  readonly index: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
  /** By owner, and by the hash of what the pods have in common, in the order of their start. */
  readonly lives: readonly PodLives[];
}

/** The pods of one object. */
export interface PodLives {
  /** `apps/v1.Deployment` */
  readonly kind: string;
  /** `<namespace>/<name>` */
  readonly name: string;
  readonly byHash: ReadonlyMap<bigint, readonly PodLife[]>;
}

/** The bytes are no trace of this version. */
export class TraceError extends Error {
  override readonly name = 'TraceError';
}

const VERSION = 2;
/** A trace is a map of five whose first key is this, as SimKube writes it. */
const BEGINNING = Buffer.from('\x85\xa7version', 'latin1');

/** Whether bytes begin as a trace does. */
export function looksLikeTrace(bytes: Uint8Array): boolean {
  return BEGINNING.equals(bytes.subarray(0, BEGINNING.length));
}

/** As SimKube's programs read it. */
export function encodeTrace({ tracked, events, index, lives }: Trace): Buffer {
  const objects = [...tracked].map(
    ([kind, podSpecTemplatePaths]) =>
      [
        kind,
        new Map<string, unknown>([
          ['podSpecTemplatePaths', podSpecTemplatePaths],
          ['trackLifecycle', true],
        ]),
      ] as const,
  );
  const packr = new Packr({ mapsAsObjects: false, useRecords: false, variableMapSize: true });
  return packr.pack(
    new Map<string, unknown>([
      ['version', VERSION],
      ['config', new Map([['trackedObjects', new Map(objects)]])],
      ['events', events.map(packedEvent)],
      ['index', index],
      [
        'pod_lifecycles',
        new Map(lives.map(({ kind, name, byHash }) => [[kind, name], packedLives(byHash)])),
      ],
    ]),
  );
}

function packedEvent({ ts, applied, deleted }: TraceEvent): Map<string, unknown> {
  return new Map<string, unknown>([
    ['ts', ts],
    ['applied_objs', applied.map(packed)],
    ['deleted_objs', deleted.map(packed)],
  ]);
}

function packedLives(byHash: PodLives['byHash']): Map<bigint, unknown> {
  return new Map([...byHash].map(([hash, lives]) => [hash, lives.map(packedLife)]));
}

function packedLife(life: PodLife): Map<string, unknown> {
  return new Map<string, unknown>([life.length === 1 ? ['Running', life[0]] : ['Finished', life]]);
}

const INT32 = 2 ** 31;

/** Whole numbers of more than 32 bits would be written as floating ones. */
function packed(value: JsonValue | undefined): unknown {
  if (Array.isArray(value)) return value.map(packed);
  if (isJsonObject(value)) {
    return new Map(
      Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([key, one]) => [key, packed(one)]),
    );
  }
  const isLong =
    typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) >= INT32;
  return isLong ? BigInt(value) : (value ?? null);
}

/** @throws TraceError */
export function decodeTrace(bytes: Uint8Array): Trace {
  const trace = unpacked(bytes);
  const version = trace.get('version');
  if (version !== VERSION) {
    throw new TraceError(
      `it is a trace of version ${String(version)}, and this program reads ${String(VERSION)}`,
    );
  }
  const config = mapAt(mapAt(trace, 'config'), 'trackedObjects');
  return {
    tracked: new Map([...config].map(([kind, of]) => [textOf(kind), pathsIn(of)])),
    events: listAt(trace, 'events').map(eventOf),
    index: new Map([...mapAt(trace, 'index')].map(([kind, of]) => [textOf(kind), hashesIn(of)])),
    lives: [...mapAt(trace, 'pod_lifecycles')].map(livesOf),
  };
}

function unpacked(bytes: Uint8Array): Unpacked {
  try {
    const unpackr = new Unpackr({ mapsAsObjects: false, useRecords: false, int64AsType: 'bigint' });
    return mapOf(unpackr.unpack(bytes));
  } catch (error) {
    if (error instanceof TraceError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new TraceError(`it is no MessagePack: ${why}`, { cause: error });
  }
}

type Unpacked = ReadonlyMap<unknown, unknown>;

function mapOf(value: unknown): Unpacked {
  if (value instanceof Map) return value;
  throw new TraceError('it is no trace of SimKube: a map is missing');
}

function mapAt(map: Unpacked, key: string): Unpacked {
  return mapOf(map.get(key));
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TraceError('it is no trace of SimKube: a list is missing');
}

function listAt(map: Unpacked, key: string): readonly unknown[] {
  return listOf(map.get(key));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TraceError('it is no trace of SimKube: a text is missing');
}

function secondOf(value: unknown): number {
  const second = Number(value);
  if (Number.isSafeInteger(second) && typeof value !== 'string') return second;
  throw new TraceError('it is no trace of SimKube: a time is missing');
}

function hashOf(value: unknown): bigint {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return BigInt(value as number);
  throw new TraceError('it is no trace of SimKube: a hash is missing');
}

/** An older one had one path, under another name. */
function pathsIn(value: unknown): readonly string[] {
  const config = mapOf(value);
  const one = config.get('podSpecTemplatePath');
  const paths =
    config.get('podSpecTemplatePaths') ?? (one === undefined || one === null ? [] : [one]);
  return listOf(paths).map(textOf);
}

function hashesIn(value: unknown): Map<string, bigint> {
  return new Map([...mapOf(value)].map(([name, hash]) => [textOf(name), hashOf(hash)]));
}

function eventOf(value: unknown): TraceEvent {
  const event = mapOf(value);
  const objects = (key: string) => listAt(event, key).map((one) => objectOf(one));
  return {
    ts: secondOf(event.get('ts')),
    applied: objects('applied_objs'),
    deleted: objects('deleted_objs'),
  };
}

function livesOf([key, value]: readonly [unknown, unknown]): PodLives {
  const [kind, name] = listOf(key);
  const byHash = [...mapOf(value)].map(
    ([hash, lives]) => [hashOf(hash), listOf(lives).flatMap(lifeOf)] as const,
  );
  return { kind: textOf(kind), name: textOf(name), byHash: new Map(byHash) };
}

/** None of a pod that never ran. */
function lifeOf(value: unknown): readonly PodLife[] {
  if (value === 'Empty') return [];
  const [[state, times] = []] = [...mapOf(value)];
  if (state === 'Running') return [[secondOf(times)]];
  const [start, end] = listOf(times);
  return [[secondOf(start), secondOf(end)]];
}

function objectOf(value: unknown): JsonObject {
  const object = jsonOf(value);
  if (isJsonObject(object)) return object;
  throw new TraceError('it is no trace of SimKube: an object is missing');
}

function jsonOf(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(jsonOf);
  if (value instanceof Map) {
    return Object.fromEntries(
      [...value].map(([key, one]: [unknown, unknown]) => [textOf(key), jsonOf(one)]),
    );
  }
  if (typeof value === 'bigint') return BigInt.asIntN(54, value) === value ? Number(value) : value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (value === null) return null;
  throw new TraceError('it is no trace of SimKube: an object has what JSON cannot say');
}
