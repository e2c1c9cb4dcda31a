/** Which kinds an object may own: the log knows owners of an object, and nothing the other way round. */
import type { Kind } from '../../state/discovery.ts';
import type { KindName } from '../../state/page-location.ts';

/** By kind of the owner, as `GROUP/RESOURCE`. */
const OWNED: Readonly<Record<string, readonly string[]>> = {
  'apps/deployments': ['apps/replicasets'],
  'apps/replicasets': ['/pods'],
  '/replicationcontrollers': ['/pods'],
  'apps/statefulsets': ['/pods', '/persistentvolumeclaims', 'apps/controllerrevisions'],
  'apps/daemonsets': ['/pods', 'apps/controllerrevisions'],
  'batch/jobs': ['/pods'],
  'batch/cronjobs': ['batch/jobs'],
  '/services': ['discovery.k8s.io/endpointslices'],
  '/nodes': ['coordination.k8s.io/leases'],
  '/pods': ['resource.k8s.io/resourceclaims', '/persistentvolumeclaims'],
};

/** What custom resources own most often. */
const OWNED_BY_CUSTOM = [
  'apps/deployments',
  'apps/statefulsets',
  'apps/daemonsets',
  'batch/jobs',
  '/pods',
  '/services',
  '/configmaps',
  '/secrets',
];
/** Of its own group, as an operator's kinds own one another. */
const SIBLINGS_MAX = 6;

/** In the order in which they are shown. @param all the kinds of the server. */
export function ownedKinds(of: KindName, all: readonly Kind[]): readonly Kind[] {
  const names = OWNED[`${of.group}/${of.resource}`];
  const find = (name: string): readonly Kind[] =>
    all.filter(({ group, resource }) => `${group}/${resource}` === name);
  if (names !== undefined) return names.flatMap(find);
  const isCustom = of.group.includes('.') && !of.group.endsWith('.k8s.io');
  if (!isCustom) return [];
  const siblings = all.filter(
    ({ group, resource }) => group === of.group && resource !== of.resource,
  );
  return [...siblings.slice(0, SIBLINGS_MAX), ...OWNED_BY_CUSTOM.flatMap(find)];
}
