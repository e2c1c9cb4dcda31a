/** What people call a resource: `deployments`, `deploy`, `Deployment`, `deployments.apps`. */
import { StartupError } from '../../process/startup-error.ts';
import type { ClusterResource } from '../../remote-cluster/cluster-resources.ts';

export function isCalled(resource: ClusterResource, name: string): boolean {
  const { group, apiVersion, name: plural, singular, kind, shortNames } = resource;
  const asked = name.toLowerCase();
  const [first = '', ...rest] = asked.split('.');
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const isGroup = rest.length === 0 || [group, `${version}.${group}`].includes(rest.join('.'));
  const names = [plural, singular, kind.toLowerCase(), ...shortNames];
  return isGroup && names.includes(first);
}

export interface ResourceChoice {
  /** None: all. */
  readonly kinds: readonly string[];
  readonly exclude: readonly string[];
}

/** @throws StartupError nothing that is there has one of the names of `kinds`. */
export function chosenResources(
  { kinds, exclude }: ResourceChoice,
  all: readonly ClusterResource[],
): (resource: ClusterResource) => boolean {
  for (const kind of kinds) {
    if (all.some((resource) => isCalled(resource, kind))) continue;
    throw new StartupError(`there is no resource named ${JSON.stringify(kind)}`);
  }
  return (resource) =>
    (kinds.length === 0 || kinds.some((kind) => isCalled(resource, kind))) &&
    !exclude.some((kind) => isCalled(resource, kind));
}
