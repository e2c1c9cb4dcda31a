/**
 * A custom resource definition. In Kubernetes: ValidateCustomResourceDefinition and its like,
 * apiextensions-apiserver/pkg/apis/apiextensions/validation. What is wrong with metadata is told
 * before by the registry, but for the name that the definition must have.
 */
import { items } from '../../../json/go-values.ts';
import { remembered } from '../../../json/work-in-slices.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from '../../../generated/kinds/apiextensions-v1.ts';
import { type FieldErrors, invalidValue } from '../../../field/field-errors.ts';
import { immutable } from '../../rules/value-validation.ts';
import { validateApproval } from './api-approval.ts';
import { leniencyTowards } from './leniency-towards.ts';
import { type Leniency, OF_NEW } from './leniency.ts';
import { validateNames, validateSpec } from './spec-validation.ts';

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
