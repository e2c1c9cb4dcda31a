/** Makes the views of a fork, over its parent's and its own log: everything below its actors. */
import type { Clock } from '../../../api/meta/clock.ts';
import { forkLayers } from '../../../projections/forks/fork-layers.ts';
import { inheritedInSlices } from '../../../projections/forks/inherited-objects.ts';
import { viewsOver } from '../../../projections/views.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import type { OpenForkLog } from '../log/fork-folders.ts';
import { openStore, type OpenViews } from './open-views.ts';

export interface ForkToOpen {
  readonly parent: OpenViews;
  readonly base: ResourceVersion;
  readonly opened: OpenForkLog;
}

export interface OpenFork extends OpenViews {
  /**
   * Looks up what the fork has of a resource where that takes long; in slices, so that others get
   * their turn. undefined: that is done, or nobody has to wait for it.
   */
  prepare(resource: string): Promise<void> | undefined;
}

/** Nothing is copied here: what the parent had is looked up when somebody asks for it. */
export async function openFork(
  { parent, base, opened }: ForkToOpen,
  clock: Clock,
): Promise<OpenFork> {
  const { log: ownLog, storePath, hasOtherWriters } = opened;
  // From now on everything up to the base can be read without waiting.
  await parent.store.settled();
  const own = await openStore(storePath, ownLog, clock);
  const inheritance = { parent, base, own, ownLog };
  const views = viewsOver(forkLayers(inheritance), clock);
  const { log, objects } = views;
  const preparing = new Map<string, Promise<void>>();
  const prepare = async (resource: string): Promise<void> => {
    const found = await inheritedInSlices(inheritance, resource, objects.beganAt);
    if (found !== undefined) objects.adopt(resource, found);
    preparing.delete(resource);
  };
  return {
    ...views,
    hasOtherWriters,
    prepare(resource) {
      if (objects.has(resource)) return undefined;
      const begun = preparing.get(resource) ?? prepare(resource);
      preparing.set(resource, begun);
      return begun;
    },
    async close() {
      await views.projector.stop();
      await log.close();
    },
  };
}
