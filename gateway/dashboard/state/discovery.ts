/**
 * The kinds that the server has, at the moment of the page: built in, custom and of other servers, from
 * the aggregated form of discovery, in two requests.
 */
import { signal } from '@preact/signals';
import type { KindName } from './page-location.ts';
import { askJson } from './http.ts';

/** One kind, in the version that its group prefers. */
export interface Kind extends KindName {
  /** `Deployment`. */
  readonly kind: string;
  /** Whether its objects lie in namespaces. */
  readonly isNamespaced: boolean;
  /** What may be done at all, whatever the user. */
  readonly verbs: readonly string[];
  /** `scale`, `status`. */
  readonly subresources: readonly string[];
  /** `deploy`. */
  readonly shortNames: readonly string[];
}

interface Discovered {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind?: string };
        readonly scope: string;
        readonly verbs: readonly string[];
        readonly shortNames?: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

/** All kinds that can be listed, core first, then by group and name; none until they were asked for. */
export const kinds = signal<readonly Kind[]>([]);

const FORM = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Asks for the kinds of the location. @throws {ApiProblem} */
export async function discover(): Promise<void> {
  const [core, groups] = await Promise.all(
    ['/api', '/apis'].map((path) => askJson<Discovered>(path, { accept: FORM })),
  );
  kinds.value = [...kindsIn(core), ...kindsIn(groups)].sort(
    (a, b) => a.group.localeCompare(b.group) || a.resource.localeCompare(b.resource),
  );
}

function kindsIn(found: Discovered | undefined): Kind[] {
  return (found?.items ?? []).flatMap(({ metadata, versions = [] }) => {
    // Versions come in the order of preference; a kind is shown in the first that has it.
    const known = new Set<string>();
    return versions.flatMap(({ version, resources = [] }) =>
      resources
        .filter(({ resource, verbs }) => {
          const isNew = !known.has(resource) && verbs.includes('list');
          known.add(resource);
          return isNew;
        })
        .map((one) => ({
          group: metadata?.name ?? '',
          version,
          resource: one.resource,
          kind: one.responseKind?.kind ?? one.resource,
          isNamespaced: one.scope === 'Namespaced',
          verbs: one.verbs,
          subresources: (one.subresources ?? []).map(({ subresource }) => subresource),
          shortNames: one.shortNames ?? [],
        })),
    );
  });
}

/** The kind of that name, in whichever version. */
export function findKind({
  group,
  resource,
}: Pick<KindName, 'group' | 'resource'>): Kind | undefined {
  return kinds.value.find((one) => one.group === group && one.resource === resource);
}

/** The kind of an owner reference or of an event. */
export function kindNamed(apiVersion: string, kind: string): Kind | undefined {
  const [first = '', second] = apiVersion.split('/');
  const group = second === undefined ? '' : first;
  return kinds.value.find((one) => one.group === group && one.kind === kind);
}
