/**
 * What a server that may write sees to once its port is open, in this order. Whoever adds one
 * here takes upstream's name, where it has the thing.
 */
import {
  publishClusterAuthentication,
  type ClusterAuthentication,
} from '../../actors/controllers/cluster-authentication.ts';
import { ensureBootstrapPolicy } from '../../actors/controllers/rbac/bootstrap-policy.ts';
import { makeSystemNamespaces } from '../../actors/controllers/system-namespaces.ts';
import { makeSystemPriorityClasses } from '../../actors/controllers/system-priority-classes.ts';
import type { Hooks } from '../../actors/lifecycle/hooks.ts';
import { loopbackTo } from '../../actors/loopback.ts';
import { usesMode } from './authorization.ts';
import type { AuthorizationSettings } from './authorization-settings.ts';
import type { ControlPlane } from './control-plane.ts';
import type { FlowKeeping } from './fairness.ts';
import { systemClock } from './system-clock.ts';

export interface StartHooksParts {
  readonly main: ControlPlane;
  readonly options: AuthorizationSettings;
  /** Makes the objects that say who comes first, and keeps them right. */
  readonly keeper: FlowKeeping;
  /** Starts the controllers; the function that ends them is kept by whoever gave this. */
  readonly startControllers: () => void;
  /** How users are known, for servers beside this one. */
  readonly trust: ClusterAuthentication;
}

export function addStartHooks(
  hooks: Hooks,
  { main, options, keeper, trust, startControllers }: StartHooksParts,
): void {
  const loopback = loopbackTo(main.dispatch, () => systemClock.now());
  hooks.afterStart('start-system-namespaces-controller', () => makeSystemNamespaces(loopback));
  hooks.afterStart('start-cluster-authentication-info-controller', () =>
    publishClusterAuthentication(loopback, trust),
  );
  hooks.afterStart('priority-and-fairness-config-consumer', () => {
    keeper.startSharing();
  });
  hooks.afterStart('priority-and-fairness-config-producer', () => keeper.ensureDefaults());
  if (usesMode(options, 'RBAC')) {
    const { objects } = main.opened;
    hooks.afterStart('rbac/bootstrap-roles', () => ensureBootstrapPolicy({ loopback, objects }));
  }
  hooks.afterStart('scheduling/bootstrap-system-priority-classes', () =>
    makeSystemPriorityClasses(loopback),
  );
  hooks.afterStart('start-apiextensions-controllers', startControllers);
}
