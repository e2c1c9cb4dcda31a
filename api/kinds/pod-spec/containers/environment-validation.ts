/** The environment of containers. In Kubernetes: ValidateEnv and ValidateEnvFrom, pkg/apis/core/validation. */
import { stringAt, type JsonObject } from '../../../json/json.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  nameIsDnsSubdomain,
} from '../../../meta/names.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import {
  configKeyProblems,
  environmentNameProblems,
  invalidFor,
  ofEachAt,
} from '../../rules/value-validation.ts';
import {
  FIELDS_OF_VARIABLES,
  validateFieldRef,
  validateResourceFieldRef,
} from './downward-api-validation.ts';
import { validateNoBacksteps } from '../volumes/local-path-validation.ts';
import { presentAt } from '../pod-rules.ts';

export function validateEnvironment(field: string, container: JsonObject): FieldErrors {
  return ofEachAt(container, 'env', (variable, index) => {
    const path = indexPath(field, index);
    const name = stringAt(variable, 'name');
    const source = presentAt(variable, 'valueFrom');
    return [
      ...(name === ''
        ? [required(`${path}.name`)]
        : invalidFor(`${path}.name`, name, environmentNameProblems(name))),
      ...(source === undefined ? [] : validateSource(`${path}.valueFrom`, variable, source)),
    ];
  });
}

function validateSource(field: string, variable: JsonObject, source: JsonObject): FieldErrors {
  const sources = [
    sourceErrors(field, source, 'fieldRef', (path, reference) =>
      validateFieldRef(path, reference, FIELDS_OF_VARIABLES),
    ),
    sourceErrors(field, source, 'resourceFieldRef', (path, reference) =>
      validateResourceFieldRef(path, reference, false),
    ),
    sourceErrors(field, source, 'configMapKeyRef', validateKeyRef),
    sourceErrors(field, source, 'secretKeyRef', validateKeyRef),
    sourceErrors(field, source, 'fileKeyRef', validateFileKeyRef),
  ].filter((errors) => errors !== undefined);
  return [...sources.flat(), ...validateSourceCount(field, variable, sources.length)];
}

function validateSourceCount(field: string, variable: JsonObject, count: number): FieldErrors {
  if (count === 0) {
    const all = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [invalidValue(field, '', `must specify one of: ${all}`)];
  }
  if (stringAt(variable, 'value') !== '') {
    return [invalidValue(field, '', 'may not be specified when `value` is not empty')];
  }
  return count > 1
    ? [invalidValue(field, '', 'may not have more than one field specified at a time')]
    : [];
}

function sourceErrors(
  field: string,
  parent: JsonObject,
  key: string,
  validate: (field: string, source: JsonObject) => FieldErrors,
): FieldErrors | undefined {
  const source = presentAt(parent, key);
  return source === undefined ? undefined : validate(`${field}.${key}`, source);
}

function validateKeyRef(field: string, reference: JsonObject): FieldErrors {
  const name = stringAt(reference, 'name');
  const key = stringAt(reference, 'key');
  return [
    ...invalidFor(`${field}.name`, name, dns1123SubdomainProblems(name)),
    ...(key === ''
      ? [required(`${field}.key`)]
      : invalidFor(`${field}.key`, key, configKeyProblems(key))),
  ];
}

function validateFileKeyRef(field: string, reference: JsonObject): FieldErrors {
  const key = stringAt(reference, 'key');
  const volume = stringAt(reference, 'volumeName');
  const path = stringAt(reference, 'path');
  return [
    ...(key === ''
      ? [required(`${field}.key`)]
      : invalidFor(`${field}.key`, key, environmentNameProblems(key))),
    ...(volume === ''
      ? [required(`${field}.volumeName`)]
      : invalidFor(`${field}.volumeName`, volume, dns1123LabelProblems(volume))),
    ...(path === '' ? [required(`${field}.path`)] : validateNoBacksteps(`${field}.path`, path)),
  ];
}

/** Errors about the sources stand at the list itself, as upstream has it. */
export function validateEnvironmentSources(field: string, container: JsonObject): FieldErrors {
  return ofEachAt(container, 'envFrom', (source, index) => {
    const path = indexPath(field, index);
    const prefix = stringAt(source, 'prefix');
    const sources = [
      sourceErrors(path, source, 'configMapRef', validateWholeRef),
      sourceErrors(path, source, 'secretRef', validateWholeRef),
    ].filter((errors) => errors !== undefined);
    return [
      ...(prefix === ''
        ? []
        : invalidFor(`${path}.prefix`, prefix, environmentNameProblems(prefix))),
      ...sources.flat(),
      ...(sources.length === 0
        ? [invalidValue(field, '', 'must specify one of: `configMapRef` or `secretRef`')]
        : []),
      ...(sources.length > 1
        ? [invalidValue(field, '', 'may not have more than one field specified at a time')]
        : []),
    ];
  });
}

/** The name may end with a dash: upstream takes it for a base of a name. */
function validateWholeRef(field: string, reference: JsonObject): FieldErrors {
  const name = stringAt(reference, 'name');
  return name === ''
    ? [required(`${field}.name`)]
    : invalidFor(`${field}.name`, name, nameIsDnsSubdomain(name, true));
}
