/**
 * The admission plug-ins there are, in the order in which they are asked, and which of them are on
 * where nobody says otherwise.
 *
 * In Kubernetes: AllOrderedPlugins and DefaultOffAdmissionPlugins, kubernetes/pkg/kubeapiserver/options.
 */
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { FollowedObjects } from '../../projections/followed-objects.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { Faults } from '../faults.ts';
import type { KeySlots } from '../registry/key-slots.ts';
import type { ServedResources } from '../resources/served-resources.ts';
import type { AdmissionPlugin } from './admission-plugin.ts';
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts';

/** What plug-ins look at: the control plane that they stand in. */
export interface AdmissionWorld {
  readonly objects: ObjectView;
  readonly followed: FollowedObjects;
  readonly served: Pick<ServedResources, 'lookup'>;
  readonly authorizer: Authorizer;
  readonly slots: KeySlots;
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: Pick<Faults, 'record'>;
}

interface PluginEntry {
  readonly name: string;
  readonly isOnByDefault: boolean;
  readonly make: (world: AdmissionWorld) => AdmissionPlugin;
}

const PLUGINS: readonly PluginEntry[] = [
  {
    name: 'NamespaceLifecycle',
    isOnByDefault: true,
    make: namespaceLifecycle,
  },
];

/** Those that are on where nobody says otherwise, in their order. */
export function defaultPlugins(world: AdmissionWorld): readonly AdmissionPlugin[] {
  return PLUGINS.filter(({ isOnByDefault }) => isOnByDefault).map(({ make }) => make(world));
}
