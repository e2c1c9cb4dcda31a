/**
 * The spec in the form in which upstream validates it: what all versions say alike stands at the
 * top and not in the versions. A definition with one version has all of it at the top, which is
 * why errors of its schema are told at `spec.validation`.
 *
 * In Kubernetes: the conversion of v1 to the internal version,
 * apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go.
 */
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  JSONSchemaProps,
  SelectableField,
} from '../../../generated/kinds/apiextensions-v1.ts';
import { items } from '../../../json/go-values.ts';
import { sameValue } from '../../rules/same-value.ts';

/** The spec with what its versions say alike at the top. */
export interface HoistedSpec {
  /** As it is stored. */
  readonly stored: CustomResourceDefinitionSpec;
  /** Those of all versions; undefined: they differ, or there are none. */
  readonly schema: CustomResourceValidation | undefined;
  readonly subresources: CustomResourceSubresources | undefined;
  readonly printerColumns: readonly CustomResourceColumnDefinition[];
  readonly selectableFields: readonly SelectableField[];
  /** Without what stands at the top. */
  readonly versions: readonly CustomResourceDefinitionVersion[];
}

const HOISTED = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

/** Each of four parts goes to the top where all versions have the same. */
export function hoistSpec(stored: CustomResourceDefinitionSpec): HoistedSpec {
  const versions = items(stored.versions);
  const [first] = versions;
  const common = HOISTED.filter((key) =>
    versions.every((version) => sameValue(version[key], first?.[key])),
  );
  const atTop = <Key extends (typeof HOISTED)[number]>(key: Key) =>
    common.includes(key) ? first?.[key] : undefined;
  return {
    stored,
    schema: atTop('schema'),
    subresources: atTop('subresources'),
    printerColumns: atTop('additionalPrinterColumns') ?? [],
    selectableFields: atTop('selectableFields') ?? [],
    versions: versions.map((version) => {
      const own = { ...version };
      for (const key of common) Reflect.deleteProperty(own, key);
      return own;
    }),
  };
}

/** The schema of each place that has one: at the top, then of the versions. */
export function schemasIn({ schema, versions }: HoistedSpec): JSONSchemaProps[] {
  const places = [schema, ...versions.map((version) => version.schema)];
  return places.flatMap((place) => place?.openAPIV3Schema ?? []);
}

/** What objects of that version are, wherever it is said. */
export function schemaOfVersion(
  spec: HoistedSpec,
  name: string,
): CustomResourceValidation | undefined {
  if (!spec.versions.some((version) => version.schema !== undefined)) return spec.schema;
  return spec.versions.find((one) => one.name === name)?.schema;
}

/** Of the first version of that name, or of all. */
export function subresourcesOfVersion(
  spec: HoistedSpec,
  name: string,
): CustomResourceSubresources | undefined {
  const areOwn = spec.versions.some((version) => version.subresources !== undefined);
  return areOwn ? spec.versions.find((one) => one.name === name)?.subresources : spec.subresources;
}

/** Whether any version has a status of its own. */
export function hasAnyStatus({ subresources, versions }: HoistedSpec): boolean {
  return [subresources, ...versions.map((version) => version.subresources)].some(hasStatus);
}

/** Whether `status` is a subresource. */
export function hasStatus(subresources: CustomResourceSubresources | undefined): boolean {
  return subresources?.status !== undefined;
}
