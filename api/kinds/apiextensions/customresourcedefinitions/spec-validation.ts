/** The spec of a definition. In Kubernetes: validateCustomResourceDefinitionSpec. */
import type { CustomResourceDefinitionSpec } from '../../../generated/kinds/apiextensions-v1.ts';
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { objectsAt, stringsAt } from '../../rules/value-validation.ts';
import { validateConversion } from './conversion-validation.ts';
import {
  hasAnyStatus,
  hasStatus,
  hoistSpec,
  schemasIn,
  subresourcesOfVersion,
  type HoistedSpec,
} from './hoisted-spec.ts';
import { shownVersions } from './internal-form.ts';
import type { Leniency } from './leniency.ts';
import { labelErrors, validateNames, validateNamesGiven } from './names-validation.ts';
import { someSchema } from './schema-parts.ts';
import { validateSchema } from './schema-validation.ts';
import { validateSubresources } from './subresource-validation.ts';
import { validateColumns, validateFieldsIn, validateVersion } from './version-validation.ts';

const SCOPES = ['Cluster', 'Namespaced'];

export function validateSpec(
  stored: CustomResourceDefinitionSpec,
  leniency: Leniency,
): FieldErrors {
  const spec = hoistSpec(stored);
  const names = stored.names;
  const needsStructure = asksForStructure(spec, leniency);
  return [
    ...validateGroup(stored.group),
    ...validateScope(stored.scope),
    ...validateSchemasGiven(spec, leniency),
    ...validatePruning(spec),
    ...validateVersions(spec, leniency, needsStructure),
    ...validateVersionSet(spec),
    ...validateNamesGiven(names),
    ...validateNames(names, 'spec.names'),
    ...validateCommon(spec, leniency, needsStructure),
    ...validateConversion(stored, leniency),
  ];
}

function validateGroup(group: string): FieldErrors {
  const path = 'spec.group';
  if (group === '') return [required(path)];
  const problems = dns1123SubdomainProblems(group);
  if (problems.length > 0) return [invalidValue(path, group, problems.join(','))];
  if (group.includes('.')) return [];
  return [invalidValue(path, group, 'should be a domain with at least one dot')];
}

function validateScope(scope: string): FieldErrors {
  if (scope === '') return [required('spec.scope')];
  return SCOPES.includes(scope) ? [] : [notSupported('spec.scope', scope, SCOPES)];
}

/** Nothing that is pruned, defaulted or extended can do without. */
function asksForStructure(spec: HoistedSpec, leniency: Leniency): boolean {
  return (
    leniency.needsStructure ||
    !preserves(spec) ||
    schemasIn(spec).some((schema) => someSchema(schema, isExtendedOrDefaulted))
  );
}

function preserves({ stored }: HoistedSpec): boolean {
  return stored['preserveUnknownFields'] === true;
}

function isExtendedOrDefaulted(schema: JsonObject): boolean {
  return (
    hasDefault(schema) ||
    schema['x-kubernetes-embedded-resource'] === true ||
    typeof schema['x-kubernetes-preserve-unknown-fields'] === 'boolean' ||
    schema['x-kubernetes-int-or-string'] === true ||
    stringsAt(schema, 'x-kubernetes-list-map-keys').length > 0 ||
    typeof schema['x-kubernetes-list-type'] === 'string' ||
    objectsAt(schema, 'x-kubernetes-validations').length > 0
  );
}

function hasDefault(schema: JsonObject): boolean {
  return schema['default'] !== undefined && schema['default'] !== null;
}

function validateSchemasGiven(spec: HoistedSpec, leniency: Leniency): FieldErrors {
  if (objectAt(spec.schema, 'openAPIV3Schema') !== undefined) return [];
  if (!leniency.needsSchema && preserves(spec)) return [];
  return spec.versions.flatMap((version, index) => {
    if (objectAt(objectAt(version, 'schema'), 'openAPIV3Schema') !== undefined) return [];
    const path = `spec.versions[${String(index)}].schema.openAPIV3Schema`;
    if (leniency.needsSchema) return [required(path)];
    const why = 'because otherwise all fields are pruned';
    return version['served'] === true ? [required(path, why)] : [];
  });
}

function validatePruning(spec: HoistedSpec): FieldErrors {
  if (!preserves(spec)) return [];
  if (!schemasIn(spec).some((schema) => someSchema(schema, hasDefault))) return [];
  const detail = 'must be false in order to use defaults in the schema';
  return [invalidValue('spec.preserveUnknownFields', true, detail)];
}

function validateVersions(
  spec: HoistedSpec,
  leniency: Leniency,
  needsStructure: boolean,
): FieldErrors {
  return spec.versions.flatMap((version, index) => {
    const path = `spec.versions[${String(index)}]`;
    const name = stringAt(version, 'name');
    const subresources = subresourcesOfVersion(spec, name);
    const rules = {
      hasStatus: hasStatus(subresources),
      leniency,
      needsStructure,
      ignoresRuleCost: leniency.sameSchemas.has(name),
    };
    return [...labelErrors(`${path}.name`, name), ...validateVersion(version, path, rules)];
  });
}

function validateVersionSet({ stored: spec, versions }: HoistedSpec): FieldErrors {
  const names = versions.map((version) => stringAt(version, 'name'));
  const stored = versions.filter((version) => version['storage'] === true);
  const isGiven = Array.isArray(spec['versions']);
  const invalid = (detail: string) =>
    invalidValue('spec.versions', isGiven ? shownVersions(versions) : null, detail);
  const [first = ''] = names;
  return [
    ...(new Set(names).size === names.length ? [] : [invalid('must contain unique version names')]),
    ...(stored.length === 1
      ? []
      : [invalid('must have exactly one version marked as storage version')]),
    ...(first === '' ? [] : labelErrors('spec.version', first)),
  ];
}

/** What all versions have alike. */
function validateCommon(
  spec: HoistedSpec,
  leniency: Leniency,
  needsStructure: boolean,
): FieldErrors {
  const ignoresRuleCost = leniency.sameSchemas.has(stringAt(spec.versions[0], 'name'));
  const rules = { hasStatus: hasAnyStatus(spec), leniency, needsStructure, ignoresRuleCost };
  const columns = objectsAt({ columns: [...spec.printerColumns] }, 'columns');
  return [
    ...validateSchema(spec.schema, { path: 'spec.validation', ...rules }),
    ...validateSubresources(spec.subresources, 'spec.subresources'),
    ...validateColumns(columns, 'spec'),
    ...validateCommonFields(spec, leniency),
  ];
}

function validateCommonFields(spec: HoistedSpec, leniency: Leniency): FieldErrors {
  const fields = objectsAt({ fields: [...spec.selectableFields] }, 'fields');
  const path = 'spec.selectableFields';
  if (fields.length === 0) return [];
  if (spec.schema === undefined) {
    return [invalidValue(path, '', 'may only be set when validations.schema is included')];
  }
  const schema = objectAt(spec.schema, 'openAPIV3Schema') ?? {};
  const allowsTooMany = leniency.tooManyFields.has('');
  const schemaPath = 'spec.schema.openAPIV3Schema';
  return validateFieldsIn(schema, fields, { path, schemaPath, allowsTooMany });
}
