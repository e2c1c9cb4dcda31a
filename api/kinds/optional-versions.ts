/**
 * Versions of built-in kinds that a server serves only where `--runtime-config` says so: beta and
 * alpha versions. Those here show objects in the very form of the version that is stored, so their
 * conversion exchanges a name; a test compares the types.
 *
 * In Kubernetes: the versions that DefaultAPIResourceConfigSource, pkg/controlplane, disables.
 */
import type { Kind, ServedVersion } from './kind.ts';
import type { ResourceFacts } from '../scheme/resource-facts.ts';
import type { VersionConversion } from './resource-definition.ts';

/** Minor releases of Kubernetes 1: since when a version is deprecated, and from when on it is gone. */
interface OptionalVersion {
  readonly version: string;
  readonly deprecatedIn: number;
  readonly goneIn: number;
  /** Whether upstream names the stable version as what to use instead. */
  readonly namesStable?: boolean;
}

const ALPHA_OF_POLICIES = { version: 'v1alpha1', deprecatedIn: 35, goneIn: 38 };
const BETA_OF_POLICIES = { version: 'v1beta1', deprecatedIn: 37, goneIn: 40, namesStable: true };
const BETA_OF_ADDRESSES = { version: 'v1beta1', deprecatedIn: 34, goneIn: 37 };
const BETA_OF_DEVICES = { version: 'v1beta2', deprecatedIn: 36, goneIn: 39 };
const OLDER_BETA_OF_DEVICES = { version: 'v1beta1', deprecatedIn: 35, goneIn: 38 };

/**
 * The versions in the form of the one that is stored, by the path of that one. In Kubernetes:
 * zz_generated.prerelease-lifecycle.go of k8s.io/api.
 */
export const VERSIONS_OF_ONE_FORM: ReadonlyMap<string, readonly OptionalVersion[]> = new Map([
  [
    'admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
    [BETA_OF_POLICIES, ALPHA_OF_POLICIES],
  ],
  [
    'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
    [BETA_OF_POLICIES, ALPHA_OF_POLICIES],
  ],
  [
    'certificates.k8s.io/v1beta1/clustertrustbundles',
    [{ version: 'v1alpha1', deprecatedIn: 34, goneIn: 37 }],
  ],
  [
    'coordination.k8s.io/v1beta1/leasecandidates',
    [{ version: 'v1alpha2', deprecatedIn: 35, goneIn: 38 }],
  ],
  ['networking.k8s.io/v1/ipaddresses', [BETA_OF_ADDRESSES]],
  ['networking.k8s.io/v1/servicecidrs', [BETA_OF_ADDRESSES]],
  ['resource.k8s.io/v1/deviceclasses', [BETA_OF_DEVICES, OLDER_BETA_OF_DEVICES]],
  [
    'resource.k8s.io/v1alpha3/devicetaintrules',
    [{ version: 'v1beta2', deprecatedIn: 39, goneIn: 42 }],
  ],
  ['resource.k8s.io/v1/resourceclaims', [BETA_OF_DEVICES]],
  ['resource.k8s.io/v1/resourceclaimtemplates', [BETA_OF_DEVICES]],
  ['resource.k8s.io/v1/resourceslices', [BETA_OF_DEVICES]],
  [
    'storage.k8s.io/v1/volumeattributesclasses',
    [{ version: 'v1beta1', deprecatedIn: 34, goneIn: 37, namesStable: true }],
  ],
]);

/** The minor release of Kubernetes 1 that the server is to its clients. */
const SERVED_RELEASE = 36;

/** Versions that are stored, as there is no stable one, and those of a form of their own. */
const OTHERS: readonly (readonly [resource: string, version: OptionalVersion])[] = [
  ['leasecandidates', { version: 'v1beta1', deprecatedIn: 36, goneIn: 39 }],
  ['devicetaintrules', { version: 'v1alpha3', deprecatedIn: 36, goneIn: 39 }],
  ['resourceclaims', OLDER_BETA_OF_DEVICES],
  ['resourceclaimtemplates', OLDER_BETA_OF_DEVICES],
  ['resourceslices', OLDER_BETA_OF_DEVICES],
];

/** What a request for it is warned of; undefined: it is not deprecated. */
export function optionalDeprecation(facts: ResourceFacts): string | undefined {
  const { group, version, resource } = facts;
  const known = [...VERSIONS_OF_ONE_FORM].flatMap(([path, versions]) =>
    path.startsWith(`${group}/`) && path.endsWith(`/${resource}`) ? versions : [],
  );
  const others = OTHERS.filter(([other]) => other === resource).map(([, own]) => own);
  const found = [...known, ...others].find((one) => one.version === version);
  return found && deprecationOf(facts, found);
}

function deprecationOf(
  { group, kind }: ResourceFacts,
  { version, deprecatedIn, goneIn, namesStable = false }: OptionalVersion,
): string | undefined {
  if (deprecatedIn > SERVED_RELEASE) return undefined;
  const since = `is deprecated in v1.${String(deprecatedIn)}+`;
  const until = `unavailable in v1.${String(goneIn)}+`;
  const instead = namesStable ? `; use ${group}/v1 ${kind}` : '';
  return `${group}/${version} ${kind} ${since}, ${until}${instead}`;
}

/** The kind with its versions of the same form as well. */
export function withVersionsOfOneForm(kind: Kind): Kind {
  const { group, version: stored, resource, fields, alsoServedAs = [] } = kind;
  const versions = VERSIONS_OF_ONE_FORM.get(`${group}/${stored}/${resource}`);
  if (versions === undefined) return kind;
  const added = versions.map(({ version }): ServedVersion => ({
    ...{ group, version, isOfOneForm: true, ...(fields && { fields }) },
    conversion: renaming({ shown: `${group}/${version}`, stored: `${group}/${stored}` }),
  }));
  return { ...kind, alsoServedAs: [...alsoServedAs, ...added] };
}

interface ApiVersions {
  readonly shown: string;
  readonly stored: string;
}

function renaming({ shown, stored }: ApiVersions): VersionConversion {
  return {
    toStorage: (object) => ({ ...object, apiVersion: stored }),
    fromStorage: (object) => ({ ...object, apiVersion: shown }),
  };
}
