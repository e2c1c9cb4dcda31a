/** The forks of a server: where they lie, how they are opened, the way in. */
import { type Ref, startActor } from '../../../actors/request/actor.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import type { ForkOpener, ForkPlane } from '../../../actors/forks/held-fork.ts';
import { OpenForks } from '../../../actors/forks/open-forks.ts';
import { planes } from '../../../actors/pipeline/planes.ts';
import { prefixOf } from '../../../actors/request/request-info.ts';
import type { AuthenticatedRequest } from '../../../actors/request/request.ts';
import { type BuiltInOptions, builtInResources } from '../../../api/kinds/built-in.ts';
import { DEFINITIONS } from '../../../actors/served-resources/custom-definitions.ts';
import {
  FORK_UID,
  type Fork,
  type ForkBases,
} from '../../../actors/served-resources/fork-bases.ts';
import { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import { FORK_GROUP, FORK_STORAGE } from '../../../api/everwatch/fork-facts.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ReadMoment } from '../../../projections/read-moment.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { firstOf, type Route } from '../../routes/route.ts';
import type { LiveInForks } from '../../routes/shred.ts';
import type { WatchSessions } from '../../watch/watch-sessions.ts';
import { startControlPlane, type ControlPlane, type ControlPlaneParts } from './control-plane.ts';
import { servedBy } from '../views/server-views.ts';
import { forkWay } from './fork-way.ts';
import { endOutdatedWatches } from './outdated-watches.ts';
import type { ForkLogs } from '../log/fork-folders.ts';
import { openFork, type OpenViews } from '../views/open-views.ts';
import { runDefinitionControllers } from './run-controllers.ts';

export interface ForksParts {
  /** What they stand on. */
  readonly parent: OpenViews;
  readonly bases: ForkBases;
  readonly logs: ForkLogs;
  readonly sessions: WatchSessions;
  readonly faults: Faults;
  /** As of the main control plane; what a fork serves is said here. */
  readonly plane: Pick<
    ControlPlaneParts,
    | 'options'
    | 'externals'
    | 'guards'
    | 'components'
    | 'meters'
    | 'admission'
    | 'witness'
    | 'aggregation'
  >;
  /** Options of the built-in kinds, as of the main control plane. */
  readonly builtIn: BuiltInOptions;
  /** Paths that are no resources, where these are the resources that are served. */
  readonly routes: (served: ServedResources) => Route;
  /** What tools ask of a fork's own log. */
  readonly tools: (opened: OpenViews) => Route;
}

/** Everything but forks: a fork is never forked itself. */
function servedInForks({ builtIn, plane }: ForksParts): ServedResources {
  const served = builtInResources(plane.externals.clock, builtIn);
  return new ServedResources(served.filter(({ facts }) => facts.group !== FORK_GROUP));
}

/** The forks of a server, from before its main control plane is there. */
export class ServerForks {
  readonly open: OpenForks;
  readonly #parts: ForksParts;

  constructor(parts: ForksParts) {
    const { logs, faults, plane } = parts;
    this.#parts = parts;
    // Most servers have no forks, and the kinds are a tenth of a start.
    let builtIn: ServedResources | undefined;
    const opener: ForkOpener = {
      open(fork, failed) {
        builtIn ??= servedInForks(parts);
        return openPlane(parts, builtIn, { fork, failed });
      },
      remove: (uid) => logs.remove(uid),
    };
    this.open = new OpenForks({ opener, clock: plane.externals.clock, faults });
  }

  /**
   * Removes from now on what is kept of forks whose objects are deleted, and what a crash has left of
   * such. Before the first request.
   */
  async follow(main: ControlPlane): Promise<void> {
    main.listen(({ resource, type, object }) => {
      if (resource !== FORK_STORAGE || type !== 'deleted') return;
      const uid = uidOf(parsedObject(object));
      if (FORK_UID.test(uid)) this.open.removed(uid);
    });
    await removeLeftovers(this.#parts);
  }

  /** Where requests go that have crossed the filters: to the main control plane, or to a fork. */
  wayWith({ dispatch, context }: ControlPlane): Ref<AuthenticatedRequest> {
    const { bases, faults } = this.#parts;
    const { moment } = context;
    return startActor(planes({ main: dispatch, bases, forks: this.open, moment, faults }));
  }

  /** Asks all forks, one after the other: each has to be open for it. */
  liveIn(moment: ReadMoment): LiveInForks {
    const ask = async (request: AuthenticatedRequest, resource: string, path: string) => {
      const live = new Map<string, string>();
      for (const fork of this.#parts.bases.all()) {
        const plane = await this.open.enter(fork, request);
        const uid = await plane.uidOf(resource, path);
        if (uid !== undefined) live.set(uid, fork.name);
      }
      return live;
    };
    return async (request, resource, path) => {
      // One may have been made on another server a moment ago.
      await moment.newest();
      return ask(request, resource, path);
    };
  }

  /** Finishes what is under way in them, and lets go of their logs. */
  close(): Promise<void> {
    return this.open.close();
  }
}

async function removeLeftovers({ bases, logs, faults }: ForksParts): Promise<void> {
  const existing = new Set(bases.all().map(({ uid }) => uid));
  for (const uid of await logs.kept()) {
    if (existing.has(uid)) continue;
    try {
      await logs.remove(uid);
    } catch (error) {
      faults.record(`removing what is left of the fork ${uid}`, error);
    }
  }
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}

interface Opening {
  readonly fork: Fork;
  readonly failed: (error: unknown) => void;
}

async function openPlane(
  { parent, logs, sessions, faults, plane, routes, tools }: ForksParts,
  builtIn: ServedResources,
  { fork, failed }: Opening,
): Promise<ForkPlane> {
  const { base } = fork;
  const { externals } = plane;
  const own = await logs.open(fork);
  const resourceViews = await openFork({ parent, base, opened: own }, externals.clock).catch(
    async (error: unknown) => {
      await own.log.close();
      throw error;
    },
  );
  try {
    const served = servedBy(resourceViews, builtIn, { externals });
    const route = firstOf([tools(resourceViews), routes(served)]);
    const place = prefixOf({ fork: fork.name, at: '' });
    const routeOf = (): Route => route;
    const parts = { ...plane, served, routeOf, faults, place, readingFailed: failed };
    const opened = await startControlPlane(resourceViews, parts);
    endOutdatedWatches(opened, served, sessions);
    // They are not waited for, since a fork is open at once.
    const controllers = Promise.resolve(resourceViews.prepare(DEFINITIONS)).then(
      () => runDefinitionControllers(opened, { served, faults }),
      (error: unknown) => faults.record('looking up what a fork has', error),
    );
    return {
      dispatch: forkWay({
        ...{ fork: resourceViews, served, faults },
        ...{ context: opened.context, dispatch: opened.dispatch },
      }),
      async uidOf(resource, path) {
        await resourceViews.prepare(resource);
        const object = resourceViews.objects.get(resource, path);
        return object === undefined ? undefined : uidOf(parsedObject(object));
      },
      endWatches() {
        sessions.endOf(resourceViews.applied);
      },
      async close() {
        await (await controllers)?.stop();
        await opened.close();
      },
    };
  } catch (error) {
    await resourceViews.close();
    throw error;
  }
}
