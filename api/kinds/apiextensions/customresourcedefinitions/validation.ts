/**
 * A custom resource definition. In Kubernetes: ValidateCustomResourceDefinition and its like,
 * apiextensions-apiserver/pkg/apis/apiextensions/validation. What is wrong with metadata is told
 * before by the registry, but for the name that the definition must have.
 */
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { immutable, objectsAt, specOf, statusOf, stringsAt } from '../../rules/value-validation.ts';
import { validateApproval } from './api-approval.ts';
import { leniencyTowards } from './leniency-towards.ts';
import { OF_NEW, type Leniency } from './leniency.ts';
import { validateNames } from './names-validation.ts';
import { validateSpec } from './spec-validation.ts';

export function validateDefinition(definition: KubeObject): FieldErrors {
  return [
    ...validateName(definition),
    ...validateSpec(specOf(definition), OF_NEW),
    ...validateRest(definition),
  ];
}

export function validateDefinitionUpdate(definition: KubeObject, old: KubeObject): FieldErrors {
  const leniency = leniencyTowards(definition, old);
  const spec = specOf(definition);
  return [
    ...validateSpec(spec, leniency),
    ...validateKept(spec, specOf(old), leniency),
    ...validateRest(definition, old),
  ];
}

export function validateDefinitionStatus(definition: KubeObject): FieldErrors {
  const names = objectAt(statusOf(definition), 'acceptedNames') ?? {};
  return validateNames(names, 'status.acceptedNames');
}

function validateName({ metadata, ...definition }: KubeObject): FieldErrors {
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
function validateKept(spec: JsonObject, old: JsonObject, leniency: Leniency): FieldErrors {
  const names = objectAt(spec, 'names');
  const oldNames = objectAt(old, 'names');
  return [
    ...(leniency.needsSameNames
      ? [
          ...immutable('spec.scope', spec['scope'], old['scope']),
          ...immutable('spec.names.kind', names?.['kind'], oldNames?.['kind']),
        ]
      : []),
    ...immutable('spec.group', spec['group'], old['group']),
    ...immutable('spec.names.plural', names?.['plural'], oldNames?.['plural']),
  ];
}

function validateRest(definition: KubeObject, old?: KubeObject): FieldErrors {
  return [
    ...validateDefinitionStatus(definition),
    ...validateStoredVersions(definition),
    ...validateApproval(definition, old),
    ...validatePreserving(specOf(definition), old === undefined ? undefined : specOf(old)),
  ];
}

/** Objects may lie in each of them, so each must still be readable. */
function validateStoredVersions(definition: KubeObject): FieldErrors {
  const path = 'status.storedVersions';
  const stored = stringsAt(statusOf(definition), 'storedVersions');
  if (stored.length === 0) {
    return [invalidValue(path, null, 'must have at least one stored version')];
  }
  const versions = objectsAt(specOf(definition), 'versions');
  const names = versions.map((version) => stringAt(version, 'name'));
  const known = new Set(names);
  const places = new Map(stored.map((name, index) => [name, index]));
  const storage = versions
    .filter((version) => version['storage'] === true)
    .map((version) => stringAt(version, 'name'));
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

function validatePreserving(spec: JsonObject, old: JsonObject | undefined): FieldErrors {
  const key = 'preserveUnknownFields';
  if (spec[key] !== true || old?.[key] === true) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true ' +
    'in spec.versions[*].schema instead';
  return [invalidValue('spec.preserveUnknownFields', true, detail)];
}
