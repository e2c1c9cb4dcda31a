/**
 * The spec in the form in which upstream validates it: what all versions say alike stands at the
 * top and not in the versions. A definition with one version has all of it at the top, which is
 * why errors of its schema are told at `spec.validation`.
 *
 * In Kubernetes: the conversion of v1 to the internal version,
 * apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go.
 */
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../../json/json.ts';
import { sameValue } from '../../rules/same-value.ts';
import { objectsAt } from '../../rules/value-validation.ts';

export interface HoistedSpec {
  /** As it is stored. */
  readonly stored: JsonObject;
  /** Those of all versions; undefined: they differ, or there are none. */
  readonly schema: JsonObject | undefined;
  readonly subresources: JsonObject | undefined;
  readonly printerColumns: readonly JsonValue[];
  readonly selectableFields: readonly JsonValue[];
  /** Without what stands at the top. */
  readonly versions: readonly JsonObject[];
}

const HOISTED = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'];

export function hoistSpec(stored: JsonObject): HoistedSpec {
  const versions = objectsAt(stored, 'versions');
  const [first = {}] = versions;
  const common: JsonObject = {};
  for (const key of HOISTED) {
    if (versions.every((version) => sameValue(version[key], first[key]))) common[key] = first[key];
  }
  const rest = versions.map((version) => {
    const own = Object.entries(version).filter(([key]) => !Object.hasOwn(common, key));
    return Object.fromEntries(own);
  });
  return {
    stored,
    schema: objectAt(common, 'schema'),
    subresources: objectAt(common, 'subresources'),
    printerColumns: listAt(common, 'additionalPrinterColumns'),
    selectableFields: listAt(common, 'selectableFields'),
    versions: rest,
  };
}

/** The schema of each place that has one: at the top, then of the versions. */
export function schemasIn({ schema, versions }: HoistedSpec): JsonObject[] {
  const places = [schema, ...versions.map((version) => objectAt(version, 'schema'))];
  return places.map((place) => objectAt(place, 'openAPIV3Schema')).filter(isJsonObject);
}

/** What objects of that version are, wherever it is said. */
export function schemaOfVersion(spec: HoistedSpec, name: string): JsonObject | undefined {
  if (!spec.versions.some((version) => version['schema'] !== undefined)) return spec.schema;
  const version = spec.versions.find((one) => stringAt(one, 'name') === name);
  return objectAt(version, 'schema');
}

/** Of the first version of that name, or of all. */
export function subresourcesOfVersion(spec: HoistedSpec, name: string): JsonObject | undefined {
  const areOwn = spec.versions.some((version) => version['subresources'] !== undefined);
  if (!areOwn) return spec.subresources;
  const version = spec.versions.find((one) => stringAt(one, 'name') === name);
  return objectAt(version, 'subresources');
}

/** Whether any version has a status of its own. */
export function hasAnyStatus({ subresources, versions }: HoistedSpec): boolean {
  const all = [subresources, ...versions.map((version) => objectAt(version, 'subresources'))];
  return all.some(hasStatus);
}

export function hasStatus(subresources: JsonObject | undefined): boolean {
  return objectAt(subresources, 'status') !== undefined;
}
