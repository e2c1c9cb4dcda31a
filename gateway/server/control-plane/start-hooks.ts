/**
 * What a server that may write sees to once its port is open, in this order. Whoever adds one
 * here takes upstream's name, where it has the thing.
 */
import { keepClusterAuthentication } from '../../../actors/controllers/cluster-authentication.ts';
import { keepTokenTracking } from '../../../actors/controllers/legacy-tokens/token-tracking.ts';
import { ensureBootstrapPolicy } from '../../../actors/controllers/rbac/bootstrap-policy.ts';
import { makeSystemNamespaces } from '../../../actors/controllers/system-namespaces.ts';
import { makeSystemPriorityClasses } from '../../../actors/controllers/system-priority-classes.ts';
import type { LegacyTokenUses } from '../../../actors/authentication/service-accounts/legacy-token-uses.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import type { Hooks } from '../../../actors/lifecycle/hooks.ts';
import { triedAgain } from '../../../actors/lifecycle/tried-again.ts';
import { usesMode } from '../guards/authorization.ts';
import type { AuthorizationSettings } from '../../flags/sections/authorization-settings.ts';
import type { ClientTrust } from '../guards/client-trust.ts';
import type { ControlPlane } from './control-plane.ts';
import type { FlowKeeping } from './flow-keeping.ts';
import type { OpenViews } from '../views/open-views.ts';
import type { RunningControllers } from './run-controllers.ts';

export interface StartHooksParts {
  readonly main: ControlPlane;
  readonly options: AuthorizationSettings;
  /** Makes the objects that say who comes first, and keeps them right. */
  readonly keeper: FlowKeeping;
  /** Starts the controllers; the function that ends them is kept by whoever gave this. */
  readonly startControllers: () => Pick<RunningControllers, 'definitionsRead'>;
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
const NEWEST_TIMEOUT_MS = 30_000;

export function addStartHooks(
  hooks: Hooks,
  { main, options, keeper, trust, uses, faults, until, startControllers }: StartHooksParts,
): void {
  const { loopback } = main;
  const { clock } = main.context;
  hooks.afterStart('storage-readiness', () => caughtUp(main.opened));
  hooks.afterStart('start-system-namespaces-controller', () => makeSystemNamespaces(loopback));
  hooks.afterStart('start-cluster-authentication-info-controller', () =>
    keepClusterAuthentication({
      loopback,
      trust: () => trust.forOthers,
      whenChanged: trust.whenChanged.bind(trust),
      listen: main.listen.bind(main),
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
    const listen = main.listen.bind(main);
    return keepTokenTracking({ loopback, objects, listen, clock, failed, until });
  });
  hooks.afterStart('priority-and-fairness-config-consumer', () => {
    keeper.startSharing();
  });
  hooks.afterStart('priority-and-fairness-config-producer', () => keeper.ensureDefaults());
  if (usesMode(options, 'RBAC')) {
    const { objects } = main.opened;
    hooks.afterStart('rbac/bootstrap-roles', () =>
      triedAgain(() => ensureBootstrapPolicy({ loopback, objects }), {
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
