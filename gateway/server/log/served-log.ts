/** What a running server tells tools about the log of an open control plane. */
import { IndexedLogSource } from '../../../projections/past/indexed-log-source.ts';
import { othersTurn } from '../../../api/meta/others-turn.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import type { DiskUsage } from '../../../streams/lmdb-usage.ts';
import { systemClock } from '../../process/system-clock.ts';
import { changesRoute } from '../../routes/changes.ts';
import { figuresRoute, type ServerFigures } from '../../routes/figures.ts';
import { logRoute, type StreamRights } from '../../routes/log.ts';
import { firstOf, type Route } from '../../routes/route.ts';
import { statusRoute, type ServerStatus } from '../../routes/status.ts';
import { PRODUCT_VERSION } from '../../routes/version.ts';
import type { OpenViews } from '../views/open-views.ts';

export type ServedLog = Pick<OpenViews, 'log' | 'store' | 'objects' | 'applied'>;

export interface ServedLogParts {
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** Asks for the rights to streams again, while they last. */
  readonly rights: StreamRights;
  /** `embedded`, `kafka`. */
  readonly engine: string;
  readonly isReadOnly: boolean;
  /** Of the whole server; left out: they are shown by the main control plane alone. */
  readonly figures?: () => ServerFigures;
  /** What only the engine knows, asked each time. */
  readonly more?: () => Pick<ServerStatus, 'connection' | 'lag'>;
  /** What the log is a copy of. */
  readonly origin?: () => Promise<ServerStatus['origin']>;
}

/** `/everwatch/v1/log…` and `/everwatch/v1/status`. */
export function servedLog(opened: ServedLog, parts: ServedLogParts): Route {
  const { log, store } = opened;
  const { stopping, rights } = parts;
  // The caller that opened them closes them.
  const close = (): Promise<void> => Promise.resolve();
  const source = new IndexedLogSource({ name: 'this server', log, store, grows: true, close });
  return firstOf([
    logRoute({ source, stopping, rights }),
    changesRoute({ source, stopping, rights }),
    statusRoute(async () => {
      const [status, origin] = await Promise.all([statusOf(opened, parts), parts.origin?.()]);
      return origin === undefined ? status : { ...status, origin };
    }),
    figuresRoute({
      ...{ clock: systemClock, stopping, rights },
      read: async () => {
        const { applied: resourceVersion, objects, lag } = await statusOf(opened, parts);
        return { resourceVersion, objects, lag, ...parts.figures?.() };
      },
    }),
  ]);
}

async function statusOf(
  { log, store, objects, applied }: ServedLog,
  { engine, isReadOnly, more }: ServedLogParts,
): Promise<ServerStatus> {
  const oldest = await log.oldest();
  const { current } = applied;
  return {
    version: PRODUCT_VERSION,
    engine,
    ...(isReadOnly && { readOnly: true }),
    log: {
      oldest,
      newest: current,
      ...timeAt('oldestTime', log.at(oldest)?.time),
      ...timeAt('newestTime', log.at(resourceVersion(current))?.time),
    },
    applied: current,
    objects: Object.fromEntries(
      objects.fillsItself ? await countedObjects(store, current) : sizesOf(objects),
    ),
    disk: diskOf(store.diskUsage(), log),
    ...more?.(),
  };
}

function sizesOf(objects: ServedLog['objects']): Map<string, number> {
  const sizes = [...objects.resources()].map(([resource, { size }]) => [resource, size] as const);
  return new Map(sizes.filter(([, size]) => size > 0));
}

/** In a view that is filled as it is looked at, the objects are not looked at to count them. */
async function countedObjects(
  store: ServedLog['store'],
  version: ResourceVersion,
): Promise<Map<string, number>> {
  await store.settled();
  const counts = new Map<string, number>();
  for (const resource of store.resourcesEver()) {
    let count = 0;
    for (const _ of store.pathsAt(resource, { prefix: '', from: '' }, version)) {
      count += 1;
      if (count % SLICE === 0) await othersTurn();
    }
    if (count > 0) counts.set(resource, count);
  }
  return counts;
}

const SLICE = 4_096;

function timeAt(key: 'oldestTime' | 'newestTime', time: number | undefined) {
  return time === undefined ? {} : { [key]: time };
}

function diskOf(store: DiskUsage, log: object): NonNullable<ServerStatus['disk']> {
  const own = knowsItsSize(log) ? log.diskUsage() : { bytes: 0, freeBytes: 0 };
  return {
    logBytes: own.bytes,
    storeBytes: store.bytes,
    freeBytes: own.freeBytes + store.freeBytes,
  };
}

/** Engines that keep the log, or a copy of it, on this disk. */
function knowsItsSize(log: object): log is { diskUsage(): DiskUsage } {
  return 'diskUsage' in log;
}
