/**
 * The spec of a definition, and its names.
 *
 * In Kubernetes: validateCustomResourceDefinitionSpec and ValidateCustomResourceDefinitionNames.
 */
import { items } from '../../../json/go-values.ts';
import { flatMapItems, remembered, someItem } from '../../../json/work-in-slices.ts';
import type {
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  JSONSchemaProps,
} from '../../../generated/kinds/apiextensions-v1.ts';
import { dns1035LabelProblems, dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { validateConversion } from './conversion-validation.ts';
import {
  hasAnyStatus,
  hasStatus,
  type HoistedSpec,
  hoistSpec,
  schemasIn,
  subresourcesByName,
} from './hoisted-spec.ts';
import { shownVersions } from './internal-form.ts';
import type { Leniency } from './leniency.ts';
import { someSchema } from './schema-parts.ts';
import { validateSchema } from './schema-validation.ts';
import {
  validateColumns,
  validateFieldsIn,
  validateSubresources,
  validateVersion,
} from './version-validation.ts';
import { childPath, indexPath } from '../../../field/field-path.ts';

const SCOPES = ['Cluster', 'Namespaced'];

/** `leniency` is what the old spec lets pass. */
export function validateSpec(
  stored: CustomResourceDefinitionSpec,
  leniency: Leniency,
): FieldErrors {
  const spec = remembered(() => hoistSpec(stored));
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
    someItem(schemasIn(spec), (schema) => someSchema(schema, isExtendedOrDefaulted))
  );
}

function preserves({ stored }: HoistedSpec): boolean {
  return stored.preserveUnknownFields === true;
}

function isExtendedOrDefaulted(schema: JSONSchemaProps): boolean {
  return (
    hasDefault(schema) ||
    schema['x-kubernetes-embedded-resource'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] !== undefined ||
    schema['x-kubernetes-int-or-string'] === true ||
    items(schema['x-kubernetes-list-map-keys']).length > 0 ||
    schema['x-kubernetes-list-type'] !== undefined ||
    items(schema['x-kubernetes-validations']).length > 0
  );
}

function hasDefault(schema: JSONSchemaProps): boolean {
  return schema.default !== undefined && schema.default !== null;
}

function validateSchemasGiven(spec: HoistedSpec, leniency: Leniency): FieldErrors {
  if (spec.schema?.openAPIV3Schema !== undefined) return [];
  if (!leniency.needsSchema && preserves(spec)) return [];
  return flatMapItems(spec.versions, (version, index) => {
    if (version.schema?.openAPIV3Schema !== undefined) return [];
    const path = `spec.versions[${String(index)}].schema.openAPIV3Schema`;
    if (leniency.needsSchema) return [required(path)];
    const why = 'because otherwise all fields are pruned';
    return version.served ? [required(path, why)] : [];
  });
}

function validatePruning(spec: HoistedSpec): FieldErrors {
  if (!preserves(spec)) return [];
  if (!someItem(schemasIn(spec), (schema) => someSchema(schema, hasDefault))) return [];
  const detail = 'must be false in order to use defaults in the schema';
  return [invalidValue('spec.preserveUnknownFields', true, detail)];
}

function validateVersions(
  spec: HoistedSpec,
  leniency: Leniency,
  needsStructure: boolean,
): FieldErrors {
  const subresourcesOf = subresourcesByName(spec);
  return flatMapItems(spec.versions, (version, index) => {
    const path = `spec.versions[${String(index)}]`;
    const { name } = version;
    const subresources = subresourcesOf(name);
    const rules = {
      hasStatus: hasStatus(subresources),
      leniency,
      needsStructure,
      ignoresRuleCost: leniency.sameSchemas.has(name),
    };
    return [...labelErrors(`${path}.name`, name), ...validateVersion(version, path, rules)];
  });
}

function validateVersionSet({ stored: spec, versions, byName }: HoistedSpec): FieldErrors {
  const stored = flatMapItems(versions, (version) => (version.storage ? [version] : []));
  const details = [
    ...(byName.size === versions.length ? [] : ['must contain unique version names']),
    ...(stored.length === 1 ? [] : ['must have exactly one version marked as storage version']),
  ];
  // Shown once: it is long where there are many.
  const shown = details.length > 0 && spec.versions !== null ? shownVersions(versions) : null;
  const first = versions[0]?.name ?? '';
  return [
    ...details.map((detail) => invalidValue('spec.versions', shown, detail)),
    ...(first === '' ? [] : labelErrors('spec.version', first)),
  ];
}

/** What all versions have alike. */
function validateCommon(
  spec: HoistedSpec,
  leniency: Leniency,
  needsStructure: boolean,
): FieldErrors {
  const ignoresRuleCost = leniency.sameSchemas.has(spec.versions[0]?.name ?? '');
  const rules = { hasStatus: hasAnyStatus(spec), leniency, needsStructure, ignoresRuleCost };
  return [
    ...validateSchema(spec.schema, { path: 'spec.validation', ...rules }),
    ...validateSubresources(spec.subresources, 'spec.subresources'),
    ...validateColumns(spec.printerColumns, 'spec'),
    ...validateCommonFields(spec, leniency),
  ];
}

function validateCommonFields(spec: HoistedSpec, leniency: Leniency): FieldErrors {
  const { selectableFields: fields } = spec;
  const path = 'spec.selectableFields';
  if (fields.length === 0) return [];
  if (spec.schema === undefined) {
    return [invalidValue(path, '', 'may only be set when validations.schema is included')];
  }
  const schema = spec.schema.openAPIV3Schema ?? {};
  const allowsTooMany = leniency.tooManyFields.has('');
  const schemaPath = 'spec.schema.openAPIV3Schema';
  return validateFieldsIn(schema, fields, { path, schemaPath, allowsTooMany });
}

const MIXED_CASE = 'may have mixed case, but should otherwise match: ';

/** Those that must be said in the spec; in the status they may still be missing. */
function validateNamesGiven(names: CustomResourceDefinitionNames): FieldErrors {
  const keys = ['plural', 'singular', 'kind', 'listKind'] as const;
  return keys.flatMap((key) => ((names[key] ?? '') === '' ? [required(`spec.names.${key}`)] : []));
}

/** Of the spec, or of the names that a definition has been given, at `path`. */
export function validateNames(names: CustomResourceDefinitionNames, path: string): FieldErrors {
  const kind = names.kind;
  const listKind = names.listKind ?? '';
  const same = 'kind and listKind may not be the same';
  return [
    ...validateLabel(childPath(path, 'plural'), names.plural),
    ...validateLabel(childPath(path, 'singular'), names.singular ?? ''),
    ...validateKind(childPath(path, 'kind'), kind),
    ...validateKind(childPath(path, 'listKind'), listKind),
    ...validateLabels(items(names.shortNames), childPath(path, 'shortNames')),
    ...(kind !== '' && kind === listKind
      ? [invalidValue(childPath(path, 'listKind'), listKind, same)]
      : []),
    ...validateLabels(items(names.categories), childPath(path, 'categories')),
  ];
}

/** All that is wrong in one error. */
function labelErrors(path: string, name: string, hint = ''): FieldErrors {
  const problems = dns1035LabelProblems(hint === '' ? name : name.toLowerCase());
  return problems.length === 0 ? [] : [invalidValue(path, name, `${hint}${problems.join(',')}`)];
}

function validateLabel(path: string, name: string): FieldErrors {
  return name === '' ? [] : labelErrors(path, name);
}

function validateKind(path: string, kind: string): FieldErrors {
  return kind === '' ? [] : labelErrors(path, kind, MIXED_CASE);
}

function validateLabels(names: readonly string[], path: string): FieldErrors {
  return names.flatMap((name, index) => labelErrors(indexPath(path, index), name));
}
