/**
 * What is remembered of a CustomResourceDefinition while its objects are not used: names, versions
 * and where the parts are found, but no schema. So two thousand of them cost a few megabytes.
 *
 * In Kubernetes: the helpers of apiextensions-apiserver/pkg/apihelpers.
 */
import {
  isJsonObject,
  itemsAt,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
  textsAt,
} from '../../json/json.ts';
import { compareVersions } from '../../scheme/version-priority.ts';

export interface DefinitionSummary {
  /** `crontabs.stable.example.com`. */
  readonly name: string;
  readonly uid: string;
  /** Counts changes of the spec. */
  readonly generation: number;
  readonly resourceVersion: number;
  readonly group: string;
  readonly namespaced: boolean;
  /** Those that were accepted, which is what is served. */
  readonly names: DefinitionNames;
  readonly versions: readonly VersionSummary[];
  /** The name of the version that is written; '' when there is none. */
  readonly storageVersion: string;
  readonly isEstablished: boolean;
  /** Requests find it; discovery waits until it is established. */
  readonly isServed: boolean;
  readonly isTerminating: boolean;
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
  readonly name: string;
  readonly isServed: boolean;
  readonly isStorage: boolean;
  readonly hasStatus: boolean;
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
export function summaryOf(definition: JsonObject, resourceVersion: number): DefinitionSummary {
  const metadata = objectAt(definition, 'metadata');
  const spec = objectAt(definition, 'spec');
  const status = objectAt(definition, 'status');
  const names = namesOf(objectAt(status, 'acceptedNames'));
  const said = itemsAt(spec, 'versions');
  const isEstablished = hasCondition(status, 'Established');
  const isComplete = ![names.plural, names.singular, names.kind, names.listKind].includes('');
  return {
    name: stringAt(metadata, 'name'),
    uid: stringAt(metadata, 'uid'),
    generation: Number(metadata?.['generation'] ?? 0),
    resourceVersion,
    group: stringAt(spec, 'group'),
    namespaced: stringAt(spec, 'scope') === 'Namespaced',
    names,
    versions: said.map((version) => versionSummary(version, spec, said)),
    storageVersion: stringAt(
      said.find((version) => version['storage'] === true),
      'name',
    ),
    isEstablished: isEstablished && isComplete,
    isServed: (isEstablished || hasCondition(status, 'NamesAccepted')) && isComplete,
    isTerminating: hasCondition(status, 'Terminating'),
    preservesUnknownFields: spec?.['preserveUnknownFields'] === true,
  };
}

function namesOf(names: JsonObject | undefined): DefinitionNames {
  return {
    plural: stringAt(names, 'plural'),
    singular: stringAt(names, 'singular'),
    kind: stringAt(names, 'kind'),
    listKind: stringAt(names, 'listKind'),
    shortNames: textsAt(names, 'shortNames'),
    categories: textsAt(names, 'categories'),
  };
}

function hasCondition(status: JsonObject | undefined, type: string): boolean {
  return listAt(status, 'conditions').some(
    (one) => isJsonObject(one) && one['type'] === type && one['status'] === 'True',
  );
}

function versionSummary(
  version: JsonObject,
  spec: JsonObject | undefined,
  all: readonly JsonObject[],
): VersionSummary {
  const subresources = objectAt(version, 'subresources');
  const scale = objectAt(subresources, 'scale');
  return {
    name: stringAt(version, 'name'),
    isServed: version['served'] === true,
    isStorage: version['storage'] === true,
    hasStatus: isJsonObject(subresources?.['status']),
    scale: scale === undefined ? undefined : scalePaths(scale),
    warning: version['deprecated'] === true ? deprecationWarning(version, spec, all) : undefined,
    selectableFields: listAt(version, 'selectableFields').flatMap((one) =>
      isJsonObject(one) ? [stringAt(one, 'jsonPath')] : [],
    ),
  };
}

function scalePaths(scale: JsonObject): ScalePaths {
  return {
    specReplicas: stringAt(scale, 'specReplicasPath'),
    statusReplicas: stringAt(scale, 'statusReplicasPath'),
    labelSelector: stringAt(scale, 'labelSelectorPath'),
  };
}

/** In Kubernetes: defaultDeprecationWarning. */
function deprecationWarning(
  version: JsonObject,
  spec: JsonObject | undefined,
  all: readonly JsonObject[],
): string {
  const said = version['deprecationWarning'];
  if (typeof said === 'string') return said;
  const group = stringAt(spec, 'group');
  const kind = stringAt(objectAt(spec, 'names'), 'kind');
  const name = stringAt(version, 'name');
  const [better] = all
    .filter((one) => one['served'] === true && one['deprecated'] !== true)
    .map((one) => stringAt(one, 'name'))
    .filter((one) => compareVersions(one, name) < 0)
    .sort(compareVersions);
  const message = `${group}/${name} ${kind} is deprecated`;
  return better === undefined ? message : `${message}; use ${group}/${better} ${kind}`;
}
