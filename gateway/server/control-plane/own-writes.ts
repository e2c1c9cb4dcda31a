/**
 * The objects that a server writes without being asked, from the moment when its port is open: those
 * that every control plane has, those that priority and fairness goes by, and what controllers write.
 *
 * In Kubernetes: the post-start hooks of kubernetes/pkg/controlplane, whose names are kept.
 */
import { hostname } from 'node:os';
import {
  collectIdentityLeases,
  IdentityLease,
  identityOf,
} from '../../../actors/controllers/identity-lease.ts';
import type { StorageVersions } from '../../../actors/controllers/storage-versions.ts';
import { startLeaderElection } from '../../../actors/controllers/elections/leader-election.ts';
import { startAvailability } from '../../../actors/aggregation/availability-controller.ts';
import { ensureFlowDefaults } from '../../../actors/controllers/flow-control/flow-defaults.ts';
import {
  type FlowSchemaStatus,
  startFlowSchemaStatus,
} from '../../../actors/controllers/flow-control/flow-schema-status.ts';
import type { FlowControl } from '../../../actors/flow-control/flow-control.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import { ListenerGroup } from '../../../api/meta/listeners.ts';
import type { CommittedEvent } from '../../../streams/event.ts';
import type { AggregationSettings } from '../../flags/sections/kubelet-settings.ts';
import type { FeatureSettings } from '../../flags/sections/lifecycle-settings.ts';
import {
  addServiceHooks,
  peerAddress,
  type ListeningAddress,
  type ServiceHooksSections,
} from './service-hooks.ts';
import type { RetentionOptions, StorageSettings } from '../../flags/sections/storage-settings.ts';
import type { ControlPlane } from './control-plane.ts';
import type { ControlPlanes, PlanesParts } from './control-planes.ts';
import { runControllers, type RunningControllers } from './run-controllers.ts';
import { serversElsewhere } from './servers-elsewhere.ts';
import { keepClusterAuthentication } from '../../../actors/controllers/cluster-authentication.ts';
import { keepTokenTracking } from '../../../actors/controllers/legacy-tokens/token-tracking.ts';
import {
  registerBuiltInGroups,
  type GroupVersion,
} from '../../../actors/controllers/local-api-services.ts';
import { ensureBootstrapPolicy } from '../../../actors/controllers/rbac/bootstrap-policy.ts';
import {
  makeSystemNamespaces,
  makeSystemPriorityClasses,
} from '../../../actors/controllers/system-objects.ts';
import type { LegacyTokenUses } from '../../../actors/authentication/service-accounts/legacy-tokens.ts';
import { type Hooks, triedAgain } from '../../../actors/lifecycle/hooks.ts';
import { AggregationFigures } from '../../metrics/aggregation-figures.ts';
import { usesMode } from '../guards/authorization.ts';
import type { AuthorizationSettings } from '../../flags/sections/authorization-settings.ts';
import type { ClientTrust } from '../guards/client-trust.ts';
import type { OpenViews } from '../views/open-views.ts';

const ENSURE_EVERY_MS = 60_000;

type Listen = (listener: (event: CommittedEvent) => void) => void;

/** Keeps the objects that priority and fairness goes by. */
interface FlowKeeping {
  /** From now on seats are shared out anew from time to time. */
  startSharing(): void;
  /** Makes the default objects, and puts them right from then on; flow schemas say whether they hang loose. */
  ensureDefaults(): Promise<void>;
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>;
}

interface FlowKeepingParts {
  readonly listen: Listen;
  readonly options: Pick<StorageSettings, 'readOnly'>;
  readonly faults: Faults;
  readonly flowControl: FlowControl | undefined;
}

/** Where nothing may be written, seats are shared out anew at once; else as a hook says. */
function startFlowKeeping(
  main: ControlPlane,
  { listen, options, faults, flowControl }: FlowKeepingParts,
): FlowKeeping {
  const { objects } = main.opened;
  const { loopback } = main;
  const { clock } = main.context;
  let status: FlowSchemaStatus | undefined;
  let cancel = (): void => undefined;
  let ensuring = Promise.resolve();
  async function ensureDefaults(): Promise<void> {
    await ensureFlowDefaults({ loopback, objects });
    cancel = clock.after(ENSURE_EVERY_MS, () => {
      ensuring = ensureDefaults().catch((error: unknown) => {
        faults.record('making flow schemas and priority levels', error);
      });
    });
  }
  if (options.readOnly) flowControl?.start();
  return {
    startSharing() {
      flowControl?.start();
    },
    async ensureDefaults() {
      await ensureDefaults();
      if (flowControl === undefined) return;
      const parts = { loopback, objects, listen, clock, faults };
      status = await startFlowSchemaStatus(parts);
    },
    async stop() {
      flowControl?.stop();
      cancel();
      await ensuring;
      cancel();
      await status?.stop();
    },
  };
}

interface OwnWritesParts extends PlanesParts {
  readonly planes: ControlPlanes;
}

/** What the flags say of what the server writes of itself. */
interface OwnWritesSections extends ServiceHooksSections {
  readonly log: Pick<StorageSettings & RetentionOptions, 'readOnly' | 'eventTtlMs'>;
  readonly features: FeatureSettings;
  readonly authorization: AuthorizationSettings;
  readonly aggregation: AggregationSettings;
}

/**
 * Adds what has to be written to the hooks of the start; nothing where the log is only read.
 *
 * @param authority PEM, of the authorities that sign the server's certificates.
 * @returns ends it.
 */
export function prepareOwnWrites(
  options: OwnWritesSections,
  parts: OwnWritesParts,
  authority: string,
): { stop(): Promise<void> } {
  const { served } = parts.views;
  const { faults, companions, stopping, logger } = parts.log;
  const { main, address } = parts.planes;
  const { tokens, uses, trust } = parts.guards.guards;
  const { flowControl } = parts.guards.fairness;
  const { readOnly, eventTtlMs } = options.log;
  const features = { ...options.features, readOnly, eventTtlMs };
  let controllers: RunningControllers | undefined;
  let availability: Stopping | undefined;
  let elections: Stopping | undefined;
  const startControllers = (): RunningControllers =>
    (controllers = runControllers(main, {
      ...{ options: features, served, authority, faults, tokens },
      elsewhere: serversElsewhere(parts.views),
    }));
  const listeners = new ListenerGroup();
  const listen = listeners.through<CommittedEvent>((listener) => main.listen(listener));
  const keeper = startFlowKeeping(main, { listen, options: features, faults, flowControl });
  if (!readOnly) {
    const until = stopping.signal;
    const needs = {
      main,
      listen,
      storageVersions: parts.planes.storageVersions,
      options: options.authorization,
      address: peerAddress(options.aggregation, parts.planes.address),
      features: options.features,
      groupVersions: served.facts(),
      startControllers,
      startAvailability: () => (availability = availabilityOver(parts, listen)),
      startElections: () => (elections = electionsOver(parts, listen)),
      keeper,
      trust,
      uses,
      faults,
      until,
    };
    addStartHooks(companions.hooks, needs);
    const { hooks, checks } = companions;
    const { services, listening } = options;
    const settings = { services, listening };
    addServiceHooks(hooks, { main, listeners, settings, checks, address, faults, logger, until });
  }
  return {
    async stop() {
      listeners.end();
      await keeper.stop();
      await availability?.stop();
      await elections?.stop();
      await controllers?.stop();
    },
  };
}

interface StartHooksParts {
  readonly main: ControlPlane;
  /** Tells of every change that takes effect, until the server stops. */
  readonly listen: Listen;
  readonly options: AuthorizationSettings;
  readonly features: Pick<FeatureSettings, 'featureGates'>;
  /** `192.0.2.1:6443`, by which other servers reach this one once its port is open. */
  readonly address: Pick<ListeningAddress, 'text'>;
  /** Of everything that is built in and served. */
  readonly groupVersions: readonly GroupVersion[];
  /** Makes the objects that priority and fairness goes by, and keeps them right. */
  readonly keeper: FlowKeeping;
  /** Starts the controllers; the caller that gave this keeps the function that ends them. */
  readonly startControllers: () => Pick<RunningControllers, 'definitionsRead'>;
  /** Starts looking after the servers behind APIServices. */
  readonly startAvailability: () => void;
  /** Starts choosing leaders among those that stand as candidates. */
  readonly startElections: () => void;
  /** What this server says of what it stores; undefined: nothing. */
  readonly storageVersions: StorageVersions | undefined;
  /** How users are known, for servers beside this one. */
  readonly trust: ClientTrust;
  /** Of tokens in secrets: written down from now on. */
  readonly uses: LegacyTokenUses;
  readonly faults: Faults;
  /** Aborted when the server stops. */
  readonly until: AbortSignal;
}

/** In Kubernetes: wait.Poll(1*time.Second, 30*time.Second, …) of the hook rbac/bootstrap-roles. */
const ROLES_MS = 30_000;
const ROLES_EVERY_MS = 1_000;
const REGISTRATION_EVERY_MS = 5_000;
const STORAGE_VERSIONS_EVERY_MS = 600_000;
const NEWEST_TIMEOUT_MS = 30_000;

function addStartHooks(hooks: Hooks, parts: StartHooksParts): void {
  const { main, listen, options, keeper, trust, uses, faults, until, startControllers } = parts;
  const { loopback } = main;
  const { clock } = main.context;
  hooks.afterStart('storage-readiness', () => caughtUp(main.opened));
  hooks.afterStart('start-system-namespaces-controller', () => makeSystemNamespaces(loopback));
  hooks.afterStart('start-cluster-authentication-info-controller', () =>
    keepClusterAuthentication({
      loopback,
      trust: () => trust.forOthers,
      whenChanged: trust.whenChanged.bind(trust),
      listen,
      clock,
      failed: (error) => faults.record('saying how users are known', error),
      until,
    }),
  );
  hooks.afterStart('start-legacy-token-tracking-controller', () => {
    uses.begin(loopback, faults);
    const { objects } = main.opened;
    const failed = (error: unknown): void => {
      faults.record('tracking of legacy tokens', error);
    };
    return keepTokenTracking({ loopback, objects, listen, clock, failed, until });
  });
  if (parts.features.featureGates.isOn('APIServerIdentity')) addIdentityHooks(hooks, parts);
  hooks.afterStart('priority-and-fairness-config-consumer', () => {
    keeper.startSharing();
  });
  hooks.afterStart('priority-and-fairness-config-producer', () => keeper.ensureDefaults());
  if (usesMode(options, 'RBAC')) {
    const { objects } = main.opened;
    const { featureGates } = parts.features;
    const isOn = featureGates.isOn.bind(featureGates);
    hooks.afterStart('rbac/bootstrap-roles', () =>
      triedAgain(() => ensureBootstrapPolicy({ loopback, objects }, isOn), {
        ...{ clock, forMs: ROLES_MS, everyMs: ROLES_EVERY_MS },
        failed: (error) => faults.record('making the roles that every control plane has', error),
      }),
    );
  }
  hooks.afterStart('scheduling/bootstrap-system-priority-classes', () =>
    makeSystemPriorityClasses(loopback),
  );
  let definitionsRead = Promise.resolve();
  hooks.afterStart('start-apiextensions-controllers', () => {
    ({ definitionsRead } = startControllers());
  });
  // A server with thousands of definitions answers long before each of them has been looked at.
  hooks.afterStart('crd-informer-synced', () => definitionsRead, { isAwaited: false });
  hooks.afterStart('kube-apiserver-autoregistration', () => registration(parts));
  hooks.afterStart('apiservice-status-remote-available-controller', () => {
    parts.startAvailability();
  });
  if (parts.features.featureGates.isOn('CoordinatedLeaderElection')) {
    hooks.afterStart('start-kube-apiserver-coordinated-leader-election-controller', () => {
      parts.startElections();
    });
  }
}

interface Stopping {
  stop(): Promise<void>;
}

function availabilityOver({ log, views, planes }: OwnWritesParts, listen: Listen): Stopping {
  const { main } = planes;
  const figures = new AggregationFigures();
  figures.show(views.metrics);
  return startAvailability({
    ...{ services: views.aggregated, servers: views.aggregatedServers },
    ...{ loopback: main.loopback, objects: main.opened.objects, faults: log.faults },
    ...{ clock: main.context.clock, listen, meters: figures },
  });
}

function electionsOver(
  { log: { faults }, planes: { main } }: OwnWritesParts,
  listen: Listen,
): Stopping {
  return startLeaderElection({
    ...{ loopback: main.loopback, objects: main.opened.objects, faults },
    ...{ clock: main.context.clock, listen },
  });
}

/** The address stands in the Lease where servers may pass on to each other what they do not serve. */
function addIdentityHooks(hooks: Hooks, parts: StartHooksParts): void {
  const { main, faults, until, address } = parts;
  const { clock, random } = main.context;
  const given = {
    ...{ clock, random, loopback: main.loopback, objects: main.opened.objects },
    failed: (error: unknown): void => {
      faults.record('the identity of this server', error);
    },
  };
  const isTold = parts.features.featureGates.isOn('UnknownVersionInteroperabilityProxy');
  let lease: IdentityLease | undefined;
  hooks.afterStart('start-kube-apiserver-identity-lease-controller', () => {
    const told = isTold ? { peerAddress: address.text } : {};
    lease = new IdentityLease({ ...given, ...told, hostname: hostname() });
    return lease.start();
  });
  const { storageVersions } = parts;
  if (storageVersions !== undefined) {
    const register = async (): Promise<void> => {
      // What a server without a Lease says is taken for that of a dead one.
      await lease?.synced();
      await storageVersions.register({ ...given, identity: identityOf(hostname()) });
    };
    const again = { clock, everyMs: REGISTRATION_EVERY_MS, failed: given.failed, until };
    // Not awaited: an APIService or a webhook that is in its way may need what comes later.
    hooks.afterStart('built-in-resources-storage-version-updater', () => kept(register, again), {
      isAwaited: false,
    });
  }
  hooks.beforeShutdown('stop-kube-apiserver-identity-lease-controller', () => lease?.stop());
  hooks.afterStart('start-kube-apiserver-identity-lease-garbage-collector', () =>
    collectIdentityLeases(given, until),
  );
}

/** Resolves when it was done once; from then on it is done every ten minutes. */
async function kept(
  run: () => Promise<void>,
  again: Omit<Parameters<typeof triedAgain>[1], 'forMs'>,
): Promise<void> {
  await triedAgain(run, { ...again, forMs: Number.POSITIVE_INFINITY });
  const cancel = again.clock.after(STORAGE_VERSIONS_EVERY_MS, () => {
    again.until?.removeEventListener('abort', cancel);
    // It ends with the server, of which nothing need be told.
    kept(run, again).catch(() => undefined);
  });
  again.until?.addEventListener('abort', cancel);
}

/** Tried once before clients come, and then until it is done: a webhook may refuse all till then. */
async function registration({
  main,
  groupVersions,
  faults,
  until,
}: StartHooksParts): Promise<void> {
  const { loopback, context, opened } = main;
  const register = () =>
    registerBuiltInGroups({ loopback, objects: opened.objects, groupVersions });
  const failed = (error: unknown): void => {
    faults.record('registering the groups that are built in', error);
  };
  const again = {
    ...{ clock: context.clock, forMs: Number.POSITIVE_INFINITY, everyMs: REGISTRATION_EVERY_MS },
    ...{ failed, until },
  };
  await register().catch((error: unknown) => {
    failed(error);
    // It ends with the server, of which nothing need be told.
    triedAgain(register, again).catch(() => undefined);
  });
}

/**
 * Asks the log for its end, once the port is open, and waits until that is applied: a client that
 * asks now reads all that was written before.
 */
async function caughtUp({ log, applied }: OpenViews): Promise<void> {
  const newest = await log.newest(NEWEST_TIMEOUT_MS);
  const isApplied = await applied.whenApplied(newest, NEWEST_TIMEOUT_MS);
  if (!isApplied) throw new Error('the log could not be read up to its end');
}
