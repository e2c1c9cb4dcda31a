/**
 * Under which names what is written could have been written as well: one object may be served by
 * several group versions, and a rule for `apps/v1` deployments may say that it means all
 * of them.
 *
 * In Kubernetes: EquivalentResourceMapper, apimachinery/pkg/runtime.
 */
import type { GroupVersionKind } from '../../../api/meta/group-version-kind.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { AdmissionPlace } from '../admission-attributes.ts';

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A group version of a resource, and what objects are there. */
export interface NamedPlace {
  readonly served: ServedResource;
  readonly resource: GroupVersionResource;
  /** Of a subresource that takes a kind of its own: that kind. */
  readonly kind: GroupVersionKind;
}

const known = new WeakMap<ServedResource, Map<string, NamedPlace>>();

/** The same value every time, as long as the resource is served as it is. */
export function placeIn(served: ServedResource, subresource: string): NamedPlace {
  let places = known.get(served);
  if (places === undefined) {
    places = new Map();
    known.set(served, places);
  }
  let place = places.get(subresource);
  if (place === undefined) {
    place = describe(served, subresource);
    places.set(subresource, place);
  }
  return place;
}

function describe(served: ServedResource, subresource: string): NamedPlace {
  const { group, version, resource, kind } = served.facts;
  const own = served.facts.subresources.find(({ name }) => name === subresource);
  return {
    served,
    resource: { group, version, resource },
    kind:
      own === undefined
        ? { group, version, kind }
        : { group: own.group, version: own.version, kind: own.kind },
  };
}

/** The other names of the place, without its own. */
export function equivalentsOf({ served, subresource }: AdmissionPlace): readonly NamedPlace[] {
  const { apiVersion, definition } = served;
  return definition
    .versions()
    .filter((one) => one.apiVersion !== apiVersion)
    .filter(({ facts }) => has(facts.subresources, subresource))
    .map((one) => placeIn(one, subresource));
}

function has(subresources: readonly { readonly name: string }[], wanted: string): boolean {
  return wanted === '' || subresources.some(({ name }) => name === wanted);
}
