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
import { forEachItem, mapItems, remembered, someItem } from '../../../json/work-in-slices.ts';
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
  /** The first of each name. */
  readonly byName: ReadonlyMap<string, CustomResourceDefinitionVersion>;
}

const HOISTED = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

/** Each of four parts goes to the top where all versions have the same. */
export function hoistSpec(stored: CustomResourceDefinitionSpec): HoistedSpec {
  const versions = items(stored.versions);
  const [first] = versions;
  const common = HOISTED.filter((key) =>
    remembered(() => !someItem(versions, (version) => !sameValue(version[key], first?.[key]))),
  );
  const own = mapItems(versions, (version) => {
    const rest = { ...version };
    for (const key of common) Reflect.deleteProperty(rest, key);
    return rest;
  });
  const atTop = <Key extends (typeof HOISTED)[number]>(key: Key) =>
    common.includes(key) ? first?.[key] : undefined;
  return {
    stored,
    schema: atTop('schema'),
    subresources: atTop('subresources'),
    printerColumns: atTop('additionalPrinterColumns') ?? [],
    selectableFields: atTop('selectableFields') ?? [],
    versions: own,
    byName: firstOfEachName(own),
  };
}

function firstOfEachName(
  versions: readonly CustomResourceDefinitionVersion[],
): ReadonlyMap<string, CustomResourceDefinitionVersion> {
  const found = remembered(() => new Map<string, CustomResourceDefinitionVersion>());
  forEachItem(versions, (version) => {
    if (!found.has(version.name)) found.set(version.name, version);
  });
  return found;
}

/** The schema of each place that has one: at the top, then of the versions. */
export function schemasIn({ schema, versions }: HoistedSpec): JSONSchemaProps[] {
  const places = [schema, ...mapItems(versions, (version) => version.schema)];
  return places.flatMap((place) => place?.openAPIV3Schema ?? []);
}

/** What objects of a version are, wherever it is said. */
export function schemasByName(
  spec: HoistedSpec,
): (name: string) => CustomResourceValidation | undefined {
  const areOwn = someItem(spec.versions, (version) => version.schema !== undefined);
  return (name) => (areOwn ? spec.byName.get(name)?.schema : spec.schema);
}

/** Of the first version of a name, or of all. */
export function subresourcesByName(
  spec: HoistedSpec,
): (name: string) => CustomResourceSubresources | undefined {
  const areOwn = someItem(spec.versions, (version) => version.subresources !== undefined);
  return (name) => (areOwn ? spec.byName.get(name)?.subresources : spec.subresources);
}

/** Whether any version has a status of its own. */
export function hasAnyStatus({ subresources, versions }: HoistedSpec): boolean {
  return (
    hasStatus(subresources) || someItem(versions, (version) => hasStatus(version.subresources))
  );
}

/** Whether `status` is a subresource. */
export function hasStatus(subresources: CustomResourceSubresources | undefined): boolean {
  return subresources?.status !== undefined;
}
