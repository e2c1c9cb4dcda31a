/**
 * Makes the views over an open log, ready to be folded: everything below the actors. Those of a fork
 * are layers on its parent's. `--runtime-config` and feature gates say which resources of beta and alpha
 * versions there are.
 *
 * In Kubernetes: NewRESTStorage of kubernetes/pkg/registry/*\/rest, whose warnings are kept.
 */
import { rm } from 'node:fs/promises';

import type { FeatureGates, GateName } from '../../../actors/lifecycle/feature-gates.ts';
import { type BuiltInOptions, builtInResources } from '../../../api/kinds/built-in.ts';
import { isEnabled } from '../../../api/kinds/runtime-config.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import {
  allResourceFacts,
  isOnByDefault,
  type ResourceFacts,
} from '../../../api/scheme/resource-facts.ts';
import type { AdmissionSettings } from '../../flags/sections/admission-settings.ts';
import type { FeatureSettings } from '../../flags/sections/lifecycle-settings.ts';
import type { ObjectStore } from '../../../projections/store/object-history.ts';
import { LmdbObjectStore } from '../../../projections/store/object-store.ts';
import { ObjectView } from '../../../projections/objects/object-view.ts';
import { type Views, viewsOver, type ViewsOptions } from '../../../projections/views.ts';
import type { EventLog } from '../../../streams/event-log.ts';
import type { OpenLog } from '../log/open-log.ts';
import { forkLayers } from '../../../projections/forks/fork-layers.ts';
import { inheritedInSlices } from '../../../projections/forks/inherited-objects.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import type { OpenForkLog } from '../log/fork-folders.ts';

interface NeededGate {
  readonly gate: GateName;
  readonly kind: string;
}

const NEEDED: ReadonlyMap<string, NeededGate> = new Map([
  ['clustertrustbundles', { gate: 'ClusterTrustBundle', kind: 'ClusterTrustBundle' }],
  ['podcertificaterequests', { gate: 'PodCertificateRequest', kind: 'PodCertificateRequest' }],
  ['podgroups', { gate: 'GenericWorkload', kind: 'PodGroup' }],
  ['workloads', { gate: 'GenericWorkload', kind: 'Workload' }],
  ['storageversionmigrations', { gate: 'StorageVersionMigrator', kind: 'StorageVersionMigration' }],
]);

/** What the flags say of the kinds that are built in. */
export interface BuiltInSections {
  readonly admission: Pick<AdmissionSettings, 'allowPrivileged'>;
  readonly features: FeatureSettings;
}

/** What the options say of the kinds that are built in. */
export function builtInOptions({ admission, features }: BuiltInSections): BuiltInOptions {
  const { featureGates, runtimeConfig } = features;
  return {
    allowPrivileged: admission.allowPrivileged,
    hasOptional: (facts) => isEnabled(facts, runtimeConfig) && hasGate(facts, featureGates),
    isOn: (feature) => featureGates.isOn(feature),
  };
}

function hasGate({ resource }: ResourceFacts, gates: FeatureGates): boolean {
  const needed = NEEDED.get(resource);
  return needed === undefined || gates.isOn(needed.gate);
}

/** Resources that were asked for by their names or with others like them, and that are not there: sentences. */
export function missingResources(
  { featureGates, runtimeConfig }: FeatureSettings,
  clock: Clock,
): readonly string[] {
  if (runtimeConfig.size === 0) return [];
  const all = builtInResources(clock, { allowPrivileged: false, hasOptional: () => true });
  const known = new Set(all.map(({ facts }) => pathOf(facts)));
  const asked = allResourceFacts().filter(
    (facts) => !isOnByDefault(facts) && isEnabled(facts, runtimeConfig),
  );
  const sentences = asked.flatMap((facts) => {
    const path = pathOf(facts);
    if (!known.has(path)) return [`without effect: --runtime-config: ${path} is not there`];
    const needed = NEEDED.get(facts.resource);
    if (needed === undefined || hasGate(facts, featureGates)) return [];
    const { gate, kind } = needed;
    return [`${kind} storage is disabled because the ${gate} feature gate is disabled`];
  });
  return [...new Set(sentences)];
}

function pathOf({ group, version, resource }: ResourceFacts): string {
  return `${group}/${version}/${resource}`;
}

export interface OpenViews extends Views<EventLog>, Pick<OpenLog, 'beside'> {
  /** See OpenLog. */
  readonly hasOtherWriters: boolean;
  /** Writes everything to disk and lets go of the log. */
  close(): Promise<void>;
}

export async function openViews(opened: OpenLog, clock: Clock): Promise<OpenViews> {
  const { log, directory } = opened;
  const { storePath, isSynced } = directory;
  return viewsOf(opened, await openStore({ path: storePath, isSynced }, log, clock), clock);
}

/** The same over a store that is open already. */
export function viewsOf(
  opened: Pick<OpenViews, 'log' | 'hasOtherWriters' | 'beside'> & Pick<OpenLog, 'close'>,
  store: ObjectStore,
  clock: Clock,
  options: ViewsOptions = {},
): OpenViews {
  const { log, hasOtherWriters, beside } = opened;
  const views = viewsOver<EventLog>({ log, store, objects: new ObjectView() }, clock, options);
  return {
    ...views,
    hasOtherWriters,
    ...(beside && { beside }),
    async close() {
      await views.projector.stop();
      await opened.close();
    },
  };
}

const NEWEST_TIMEOUT_MS = 30_000;

/**
 * The store, if it can go on with this log. A log that was put back from a backup is behind what its
 * store remembers; a store that was put back may lack what was cut from the log since. Then the
 * store is folded anew.
 */
async function openStore(
  { path, isSynced }: { readonly path: string; readonly isSynced: boolean },
  log: EventLog,
  clock: Clock,
): Promise<LmdbObjectStore> {
  const store = new LmdbObjectStore(path, clock, { isSynced });
  const { appliedVersion } = store;
  const isWhole = appliedVersion === 0 || appliedVersion >= log.cuts().settled;
  if (isWhole && appliedVersion <= (await log.newest(NEWEST_TIMEOUT_MS))) return store;
  await store.close();
  await rm(path, { recursive: true, force: true });
  return new LmdbObjectStore(path, clock, { isSynced });
}

interface ForkToOpen {
  readonly parent: OpenViews;
  readonly base: ResourceVersion;
  readonly opened: OpenForkLog;
}

/** The views of a fork, which read their parent's up to the fork's base. */
export interface OpenFork extends OpenViews {
  /**
   * Looks up what the fork has of a resource where that takes long; in slices, so that others get
   * their turn. undefined: that is done, or need not be waited for.
   */
  prepare(resource: string): Promise<void> | undefined;
  /** Whether {@link prepare} is not done yet, and may have to look at many objects or far back. */
  takesLong(resource: string): boolean;
}

/** To put together less holds nothing up. */
const MANY_OBJECTS = 4_096;
/** So many versions behind the base there may have been many objects that are gone by now. */
const MANY_VERSIONS = 100_000;

/** Nothing is copied here: what the parent had is looked up when it is first read. */
export async function openFork(
  { parent, base, opened }: ForkToOpen,
  clock: Clock,
): Promise<OpenFork> {
  const { log: ownLog, storePath, hasOtherWriters } = opened;
  // From now on everything up to the base can be read without waiting.
  await parent.store.settled();
  const own = await openStore({ path: storePath, isSynced: true }, ownLog, clock);
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
    takesLong(resource) {
      if (objects.has(resource)) return false;
      const isFarBack = parent.applied.current - base > MANY_VERSIONS;
      return isFarBack || parent.objects.of(resource).size > MANY_OBJECTS;
    },
    async close() {
      await views.projector.stop();
      await log.close();
    },
  };
}
