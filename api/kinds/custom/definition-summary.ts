/**
 * What is remembered of a CustomResourceDefinition while its objects are not used: names, versions
 * and where the parts are found, but no schema. So two thousand of them cost a few megabytes.
 *
 * In Kubernetes: the helpers of apiextensions-apiserver/pkg/apihelpers.
 */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
} from '../../generated/kinds/apiextensions-v1.ts';
import { items } from '../../json/go-values.ts';
import { compareVersions } from '../../scheme/version-priority.ts';

export interface DefinitionSummary {
  /** `crontabs.stable.example.com`. */
  readonly name: string;
  /** `metadata.uid`; another definition of the same name has another. */
  readonly uid: string;
  /** Counts changes of the spec. */
  readonly generation: number;
  /** Of the stored object that was read. */
  readonly resourceVersion: number;
  /** `spec.group`. */
  readonly group: string;
  /** Whether `spec.scope` is `Namespaced`. */
  readonly namespaced: boolean;
  /** Those that were accepted, which is what is served. */
  readonly names: DefinitionNames;
  /** In the order of the definition. */
  readonly versions: readonly VersionSummary[];
  /** The name of the version that is written; '' when there is none. */
  readonly storageVersion: string;
  /** Whether its objects may be served and shown by discovery. */
  readonly isEstablished: boolean;
  /** Requests find it; discovery waits until it is established. */
  readonly isServed: boolean;
  /** Whether it is being deleted, with all its objects. */
  readonly isTerminating: boolean;
  /** Whether nothing is pruned, as definitions of v1beta1 could ask. */
  readonly preservesUnknownFields: boolean;
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** What a definition says about one of its versions, without the schema. */
export interface VersionSummary {
  /** As in a path: `v1beta1`. */
  readonly name: string;
  /** Whether requests may name it. */
  readonly isServed: boolean;
  /** Whether objects are written in it. */
  readonly isStorage: boolean;
  /** Whether it has the subresource `status`. */
  readonly hasStatus: boolean;
  /** Where the subresource `scale` finds its numbers; undefined: there is none. */
  readonly scale: ScalePaths | undefined;
  /** What its requests are warned of; undefined: it is not deprecated. */
  readonly warning: string | undefined;
  /** As `.spec.color`. */
  readonly selectableFields: readonly string[];
}

export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** '' when there is none. */
  readonly labelSelector: string;
}

/** @param resourceVersion of the stored object. */
export function summaryOf(
  { metadata, spec, status }: CustomResourceDefinition,
  resourceVersion: number,
): DefinitionSummary {
  const { name = '', uid = '', generation = 0 } = metadata;
  const names = namesOf(status.acceptedNames);
  const said = items(spec.versions);
  const isEstablished = hasCondition(status, 'Established');
  const isComplete = ![names.plural, names.singular, names.kind, names.listKind].includes('');
  return {
    name,
    uid,
    generation: Number(generation),
    resourceVersion,
    group: spec.group,
    namespaced: spec.scope === 'Namespaced',
    names,
    versions: said.map((version) => versionSummary(version, spec, said)),
    storageVersion: said.find(({ storage }) => storage)?.name ?? '',
    isEstablished: isEstablished && isComplete,
    isServed: (isEstablished || hasCondition(status, 'NamesAccepted')) && isComplete,
    isTerminating: hasCondition(status, 'Terminating'),
    preservesUnknownFields: spec.preserveUnknownFields === true,
  };
}

function namesOf(names: CustomResourceDefinitionNames): DefinitionNames {
  const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = names;
  return { plural, singular, kind, listKind, shortNames, categories };
}

function hasCondition({ conditions }: CustomResourceDefinitionStatus, type: string): boolean {
  return items(conditions).some((one) => one.type === type && one.status === 'True');
}

function versionSummary(
  version: CustomResourceDefinitionVersion,
  spec: CustomResourceDefinitionSpec,
  all: readonly CustomResourceDefinitionVersion[],
): VersionSummary {
  const { name, served, storage, deprecated, subresources, selectableFields } = version;
  const { status, scale } = subresources ?? {};
  return {
    name,
    isServed: served,
    isStorage: storage,
    hasStatus: status !== undefined,
    scale: scale === undefined ? undefined : scalePaths(scale),
    warning: deprecated === true ? deprecationWarning(version, spec, all) : undefined,
    selectableFields: items(selectableFields).map(({ jsonPath }) => jsonPath),
  };
}

function scalePaths(scale: CustomResourceSubresourceScale): ScalePaths {
  return {
    specReplicas: scale.specReplicasPath,
    statusReplicas: scale.statusReplicasPath,
    labelSelector: scale.labelSelectorPath ?? '',
  };
}

/** In Kubernetes: defaultDeprecationWarning. */
function deprecationWarning(
  { name, deprecationWarning: said }: CustomResourceDefinitionVersion,
  { group, names: { kind } }: CustomResourceDefinitionSpec,
  all: readonly CustomResourceDefinitionVersion[],
): string {
  if (said !== undefined) return said;
  const [better] = all
    .filter(({ served, deprecated }) => served && deprecated !== true)
    .map((one) => one.name)
    .filter((one) => compareVersions(one, name) < 0)
    .sort(compareVersions);
  const message = `${group}/${name} ${kind} is deprecated`;
  return better === undefined ? message : `${message}; use ${group}/${better} ${kind}`;
}
