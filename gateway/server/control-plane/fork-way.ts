/**
 * The way into an open fork. What the fork has of a resource is put together by the first request that needs all of
 * it: a write, a watch, a list of everything.
 *
 * The surprise: a request that asks for little of what would take long to put together, as a GET in a fork of a
 * million objects, waits for none of that. It is answered as of the newest version, as if that stood behind `/at/`,
 * which is read from the history.
 */
import type { Ref } from '../../../actors/request/actor.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import type { AuthenticatedRequest } from '../../../actors/request/request.ts';
import { DEFINITIONS } from '../../../actors/served-resources/custom-definitions.ts';
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { queryValue } from '../../../api/meta/web-addresses.ts';
import type { ObjectHistory } from '../../../projections/store/object-history.ts';
import type { ReadMoment } from '../../../projections/read-moment.ts';
import type { OpenFork } from '../views/open-views.ts';

export interface ForkWayParts {
  readonly fork: Pick<OpenFork, 'prepare' | 'takesLong'>;
  readonly served: Pick<ServedResources, 'lookup' | 'isBuiltIn'>;
  /** Of the fork. */
  readonly context: {
    readonly moment: ReadMoment;
    readonly history: Pick<ObjectHistory, 'settled'>;
    readonly clock: Clock;
  };
  readonly dispatch: Ref<AuthenticatedRequest>;
  readonly faults: Faults;
}

/** Passes requests on once what they need of the fork is there. */
export function forkWay(parts: ForkWayParts): Ref<AuthenticatedRequest> {
  const { dispatch, faults } = parts;
  return {
    send(request) {
      const preparing = preparation(parts, request);
      if (preparing === undefined) {
        dispatch.send(request);
        return;
      }
      // What could not be prepared is looked up once more by the read.
      void preparing
        .catch((error: unknown) => faults.record('looking up what a fork has', error))
        .then(() => {
          if (!request.answered) dispatch.send(request);
        });
    },
  };
}

/** What is not built in takes the definitions to know what it is. */
function preparation(
  parts: ForkWayParts,
  request: AuthenticatedRequest,
): Promise<void> | undefined {
  const { fork, served } = parts;
  const { info } = request;
  const ofResource = (): Promise<void> | undefined => {
    const storage = served.lookup(info)?.definition.storage;
    if (storage === undefined) return undefined;
    const isReadAlone = asksLittle(request) && fork.takesLong(storage);
    return isReadAlone ? standAtNewest(parts, request) : fork.prepare(storage);
  };
  const isAlwaysKnown = info.isResourceRequest && served.isBuiltIn(info);
  const definitions = isAlwaysKnown ? undefined : fork.prepare(DEFINITIONS);
  return definitions === undefined ? ofResource() : definitions.then(ofResource);
}

/** A get, or a list of one namespace or of one page, of whatever there is. */
function asksLittle({ method, info, query }: AuthenticatedRequest): boolean {
  if (method !== 'GET' || info.subresource !== '') return false;
  if (info.verb === 'get') return isOfNow(query);
  if (info.verb !== 'list') return false;
  const isPart = info.namespace !== '' || Number(queryValue(query, 'limit') ?? 0) > 0;
  return isPart && isOfNow(query);
}

/** What names a version waits for it, or says that it takes too long to come. */
function isOfNow(query: string): boolean {
  const version = queryValue(query, 'resourceVersion') ?? '';
  return version === '' || version === '0';
}

async function standAtNewest(
  { context }: ForkWayParts,
  request: AuthenticatedRequest,
): Promise<void> {
  // Behind `/at/` is a moment already.
  if (request.info.at !== '') return;
  const newest = await context.moment.newest();
  // The read says that the log cannot be asked.
  if (newest === undefined) return;
  await context.history.settled();
  request.readAt(newest, context.clock.now());
}
