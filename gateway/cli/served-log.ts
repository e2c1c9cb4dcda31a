/** What a running server tells tools about the log of an open control plane. */
import { IndexedLogSource } from '../../projections/past/indexed-log-source.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import type { DiskUsage } from '../../streams/embedded/lmdb-usage.ts';
import { logRoute } from '../routes/log.ts';
import { firstOf, type Route } from '../routes/route.ts';
import { statusRoute, type ServerStatus } from '../routes/status.ts';
import { PRODUCT_VERSION } from '../routes/version.ts';
import type { OpenGallery } from './open-gallery.ts';

export type ServedLog = Pick<OpenGallery, 'log' | 'store' | 'objects' | 'applied'>;

export interface ServedLogParts {
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** `embedded`, `kafka`. */
  readonly engine: string;
  /** What only the engine knows, asked each time. */
  readonly more?: () => Pick<ServerStatus, 'connection' | 'lag'>;
}

/** `/everwatch/v1/log…` and `/everwatch/v1/status`. */
export function servedLog(opened: ServedLog, parts: ServedLogParts): Route {
  const { log, store } = opened;
  // Whoever opened them closes them.
  const close = (): Promise<void> => Promise.resolve();
  const source = new IndexedLogSource({ name: 'this server', log, store, grows: true, close });
  return firstOf([
    logRoute({ source, stopping: parts.stopping }),
    statusRoute(() => statusOf(opened, parts)),
  ]);
}

async function statusOf(
  { log, store, objects, applied }: ServedLog,
  { engine, more }: ServedLogParts,
): Promise<ServerStatus> {
  const oldest = await log.oldest();
  const { current } = applied;
  const sizes = [...objects.resources()].map(([resource, { size }]) => [resource, size] as const);
  return {
    version: PRODUCT_VERSION,
    engine,
    log: {
      oldest,
      newest: current,
      ...timeAt('oldestTime', log.at(oldest)?.time),
      ...timeAt('newestTime', log.at(resourceVersion(current))?.time),
    },
    applied: current,
    objects: Object.fromEntries(sizes.filter(([, size]) => size > 0)),
    disk: diskOf(store.diskUsage(), log),
    ...more?.(),
  };
}

function timeAt(key: 'oldestTime' | 'newestTime', time: number | undefined) {
  return time === undefined ? {} : { [key]: time };
}

/** Engines that keep the log on this disk know how much that is. */
function diskOf(store: DiskUsage, log: object): NonNullable<ServerStatus['disk']> {
  const used = 'diskUsage' in log && typeof log.diskUsage === 'function' ? log : undefined;
  const own = (used as { diskUsage(): DiskUsage } | undefined)?.diskUsage(); // Just looked at.
  return {
    logBytes: own?.bytes ?? 0,
    storeBytes: store.bytes,
    freeBytes: (own?.freeBytes ?? 0) + store.freeBytes,
  };
}
