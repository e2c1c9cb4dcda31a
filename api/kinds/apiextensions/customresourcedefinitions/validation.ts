/**
 * A custom resource definition. In Kubernetes: ValidateCustomResourceDefinition and its like,
 * apiextensions-apiserver/pkg/apis/apiextensions/validation. What is wrong with metadata is told
 * before by the registry, but for the name that the definition must have.
 */
import type { ObjectOf } from '../../../meta/object-meta.ts';
import { items } from '../../../json/go-values.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from '../../../generated/kinds/apiextensions-v1.ts';
import { objectAt, stringAt } from '../../../json/json.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { immutable } from '../../rules/value-validation.ts';
import { validateApproval } from './api-approval.ts';
import { leniencyTowards } from './leniency-towards.ts';
import { OF_NEW, type Leniency } from './leniency.ts';
import { validateNames } from './names-validation.ts';
import { validateSpec } from './spec-validation.ts';

export function validateDefinition(definition: ObjectOf<CustomResourceDefinition>): FieldErrors {
  return [
    ...validateName(definition),
    ...validateSpec(definition.spec, OF_NEW),
    ...validateRest(definition),
  ];
}

export function validateDefinitionUpdate(
  definition: ObjectOf<CustomResourceDefinition>,
  old: ObjectOf<CustomResourceDefinition>,
): FieldErrors {
  const leniency = leniencyTowards(definition, old);
  const spec = definition.spec;
  return [
    ...validateSpec(spec, leniency),
    ...validateKept(spec, old.spec, leniency),
    ...validateRest(definition, old),
  ];
}

export function validateDefinitionStatus(
  definition: ObjectOf<CustomResourceDefinition>,
): FieldErrors {
  const names = definition.status.acceptedNames;
  return validateNames(names, 'status.acceptedNames');
}

function validateName({
  metadata,
  ...definition
}: ObjectOf<CustomResourceDefinition>): FieldErrors {
  const spec = objectAt(definition, 'spec');
  const plural = stringAt(objectAt(spec, 'names'), 'plural');
  const wanted = `${plural}.${stringAt(spec, 'group')}`;
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
  const names = spec.names;
  const oldNames = old.names;
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
  definition: ObjectOf<CustomResourceDefinition>,
  old?: ObjectOf<CustomResourceDefinition>,
): FieldErrors {
  return [
    ...validateDefinitionStatus(definition),
    ...validateStoredVersions(definition),
    ...validateApproval(definition, old),
    ...validatePreserving(definition.spec, old === undefined ? undefined : old.spec),
  ];
}

/** Objects may lie in each of them, so each must still be readable. */
function validateStoredVersions(definition: ObjectOf<CustomResourceDefinition>): FieldErrors {
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
