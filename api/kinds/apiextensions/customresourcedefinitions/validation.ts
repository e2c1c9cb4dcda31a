/**
 * A custom resource definition, and what one need not be for the sake of what it was; see leniency.ts.
 * What is wrong with metadata is told before by the registry, but for the name that the definition must
 * have.
 *
 * In Kubernetes: ValidateCustomResourceDefinition and its like, apiextensions-apiserver/pkg/apis/apiextensions/validation.
 */
import { items } from '../../../json/go-values.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceValidation,
  JSONSchemaProps,
  SelectableField,
} from '../../../generated/kinds/apiextensions-v1.ts';
import { isKnownType, isStructural, someSchema } from './schema-parts.ts';
import { sameValue } from '../../rules/same-value.ts';
import { caBundleProblem, hasKnownReview } from './conversion-validation.ts';
import { hasCondition } from './conditions.ts';
import { hasUnprunedDefaults } from './default-validation.ts';
import { type HoistedSpec, hoistSpec, schemasByName, schemasIn } from './hoisted-spec.ts';
import { type Leniency, OF_NEW } from './leniency.ts';
import { listKeyErrors, nonAtomicKey } from './extension-validation.ts';
import { remembered } from '../../../json/work-in-slices.ts';
import { type FieldErrors, invalidValue } from '../../../field/field-errors.ts';
import { immutable } from '../../rules/value-validation.ts';
import { validateApproval } from './api-approval.ts';
import { validateNames, validateSpec } from './spec-validation.ts';

const FIELDS_MAX = 8;

/** What an update of `old` may leave as wrong as it was. */
function leniencyTowards(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): Leniency {
  const oldSpec = old.spec;
  const before = hoistSpec(oldSpec);
  const after = hoistSpec(definition.spec);
  const schemas = schemasIn(before);
  const none = (isWrong: (schema: JSONSchemaProps) => boolean): boolean =>
    !schemas.some((schema) => someSchema(schema, isWrong));
  return {
    needsKnownReview: hasKnownReview(oldSpec.conversion),
    needsSameNames: hasCondition(old, 'Established'),
    needsSchema: allHaveSchemas(before),
    needsKnownTypes: none((schema) => !isKnownType(schema.type ?? '')),
    needsStructure: schemas.every(isStructural),
    needsPrunedDefaults: !schemas.some(hasUnprunedDefaults),
    needsAtomicSets: none((schema) => nonAtomicKey(schema) !== undefined),
    needsListKeys: none((schema) => listKeyErrors(schema, '').length > 0),
    allowsInvalidCaBundle: allowsInvalidCaBundle(old),
    tooManyFields: tooManyFields(before, after),
    sameSchemas: sameSchemas(before, after),
  };
}

function allHaveSchemas({ schema, versions }: HoistedSpec): boolean {
  if (hasSchema(schema)) return true;
  return versions.every((version) => hasSchema(version.schema));
}

function hasSchema(validation: CustomResourceValidation | undefined): boolean {
  return validation?.openAPIV3Schema !== undefined;
}

function allowsInvalidCaBundle(old: CustomResourceDefinition): boolean {
  if (!hasCondition(old, 'Established')) return true;
  const webhook = old.spec.conversion?.webhook;
  const bundle = webhook?.clientConfig?.caBundle ?? '';
  return bundle !== '' && caBundleProblem(bundle) !== undefined;
}

/** Where there were too many before, and still are the same. */
function tooManyFields(before: HoistedSpec, after: HoistedSpec): ReadonlySet<string> {
  const allowed = new Set<string>();
  const isKept = (old: readonly SelectableField[], next: readonly SelectableField[]): boolean =>
    old.length > FIELDS_MAX && sameValue([...old], [...next]);
  if (isKept(before.selectableFields, after.selectableFields)) allowed.add('');
  // Of versions of one name the last one counts.
  const lastOfName = new Map(before.versions.map((version) => [version.name, version]));
  for (const version of after.versions) {
    const old = lastOfName.get(version.name);
    if (old === undefined) continue;
    const fields = items(version.selectableFields);
    if (isKept(items(old.selectableFields), fields)) allowed.add(version.name);
  }
  return allowed;
}

function sameSchemas(before: HoistedSpec, after: HoistedSpec): ReadonlySet<string> {
  const names = after.versions.map((version) => version.name);
  const [schemaBefore, schemaAfter] = [schemasByName(before), schemasByName(after)];
  return new Set(names.filter((name) => sameValue(schemaBefore(name), schemaAfter(name))));
}

/** What is wrong with a new definition. */
export function validateDefinition(definition: CustomResourceDefinition): FieldErrors {
  return [
    ...validateName(definition),
    ...validateSpec(definition.spec, OF_NEW),
    ...validateRest(definition),
  ];
}

/** Rules that came later than the definition are asked only of what it did not break before. */
export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldErrors {
  const leniency = remembered(() => leniencyTowards(definition, old));
  const spec = definition.spec;
  return [
    ...validateSpec(spec, leniency),
    ...validateKept(spec, old.spec, leniency),
    ...validateRest(definition, old),
  ];
}

/** Of a write of the status: the names that the definition has been given. */
export function validateDefinitionStatus(definition: CustomResourceDefinition): FieldErrors {
  const names = definition.status.acceptedNames;
  return validateNames(names, 'status.acceptedNames');
}

function validateName({ metadata, spec }: CustomResourceDefinition): FieldErrors {
  const wanted = `${spec.names.plural}.${spec.group}`;
  const detail = 'must be spec.names.plural+"."+spec.group';
  return (['generateName', 'name'] as const).flatMap((key) => {
    const name = metadata[key] ?? '';
    return name === '' || name === wanted ? [] : [invalidValue(`metadata.${key}`, name, detail)];
  });
}

/** Objects are there already, and are found by these. */
function validateKept(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec,
  leniency: Leniency,
): FieldErrors {
  const { names } = spec;
  const { names: oldNames } = old;
  return [
    ...(leniency.needsSameNames
      ? [
          ...immutable('spec.scope', spec.scope, old.scope),
          ...immutable('spec.names.kind', names.kind, oldNames.kind),
        ]
      : []),
    ...immutable('spec.group', spec.group, old.group),
    ...immutable('spec.names.plural', names.plural, oldNames.plural),
  ];
}

function validateRest(
  definition: CustomResourceDefinition,
  old?: CustomResourceDefinition,
): FieldErrors {
  return [
    ...validateDefinitionStatus(definition),
    ...validateStoredVersions(definition),
    ...validateApproval(definition, old),
    ...validatePreserving(definition.spec, old?.spec),
  ];
}

/** Objects may lie in each of them, so each must still be readable. */
function validateStoredVersions(definition: CustomResourceDefinition): FieldErrors {
  const path = 'status.storedVersions';
  const stored = items(definition.status.storedVersions);
  if (stored.length === 0) {
    return [invalidValue(path, null, 'must have at least one stored version')];
  }
  const versions = items(definition.spec.versions);
  const names = versions.map((version) => version.name);
  const known = new Set(names);
  const places = new Map(stored.map((name, index) => [name, index]));
  const storage = versions.filter((version) => version.storage).map((version) => version.name);
  const firstPlaces = new Map(names.map((name, index) => [name, index] as const).reverse());
  const missing = storage.filter(
    (name, index) => !places.has(name) || (firstPlaces.get(name) ?? index) < index,
  );
  return [
    ...missing.map((name) => invalidValue(path, stored, `must have the storage version ${name}`)),
    ...[...places]
      .filter(([name]) => !known.has(name))
      .map(([name, index]) => invalidValue(`${path}[${String(index)}]`, name, lost(name))),
  ];
}

function lost(version: string): string {
  return (
    `missing from spec.versions; ${version} was previously a storage version, and must remain in ` +
    `spec.versions until a storage migration ensures no data remains persisted in ${version} ` +
    `and removes ${version} from status.storedVersions`
  );
}

function validatePreserving(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
): FieldErrors {
  const key = 'preserveUnknownFields';
  if (spec[key] !== true || old?.[key] === true) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true ' +
    'in spec.versions[*].schema instead';
  return [invalidValue('spec.preserveUnknownFields', true, detail)];
}
