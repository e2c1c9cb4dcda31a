/** The environment of containers. In Kubernetes: ValidateEnv and ValidateEnvFrom, pkg/apis/core/validation. */
import type {
  ConfigMapEnvSource,
  ConfigMapKeySelector,
  Container,
  EnvVar,
  EnvVarSource,
  EphemeralContainer,
  FileKeySelector,
  SecretEnvSource,
  SecretKeySelector,
} from '../../../generated/kinds/core-v1.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  nameIsDnsSubdomain,
} from '../../../meta/names.ts';
import { type FieldErrors, invalidValue, required } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import {
  configKeyProblems,
  environmentNameProblems,
  invalidFor,
  ofEach,
} from '../../rules/value-validation.ts';
import {
  FIELDS_OF_VARIABLES,
  validateFieldRef,
  validateResourceFieldRef,
} from './downward-api-validation.ts';
import { validateNoBacksteps } from '../volumes/local-path-validation.ts';

export function validateEnvironment(
  field: string,
  container: Container | EphemeralContainer,
): FieldErrors {
  return ofEach(container.env, (variable, index) => {
    const path = indexPath(field, index);
    const name = variable.name;
    const source = variable.valueFrom;
    return [
      ...(name === ''
        ? [required(`${path}.name`)]
        : invalidFor(`${path}.name`, name, environmentNameProblems(name))),
      ...(source === undefined ? [] : validateSource(`${path}.valueFrom`, variable, source)),
    ];
  });
}

function validateSource(field: string, variable: EnvVar, source: EnvVarSource): FieldErrors {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  const found = [
    fieldRef && validateFieldRef(`${field}.fieldRef`, fieldRef, FIELDS_OF_VARIABLES),
    resourceFieldRef &&
      validateResourceFieldRef(`${field}.resourceFieldRef`, resourceFieldRef, false),
    configMapKeyRef && validateKeyRef(`${field}.configMapKeyRef`, configMapKeyRef),
    secretKeyRef && validateKeyRef(`${field}.secretKeyRef`, secretKeyRef),
    fileKeyRef && validateFileKeyRef(`${field}.fileKeyRef`, fileKeyRef),
  ].filter((errors) => errors !== undefined);
  return [...found.flat(), ...validateSourceCount(field, variable, found.length)];
}

function validateSourceCount(field: string, variable: EnvVar, count: number): FieldErrors {
  if (count === 0) {
    const all = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [invalidValue(field, '', `must specify one of: ${all}`)];
  }
  if ((variable.value ?? '') !== '') {
    return [invalidValue(field, '', 'may not be specified when `value` is not empty')];
  }
  return count > 1
    ? [invalidValue(field, '', 'may not have more than one field specified at a time')]
    : [];
}

function validateKeyRef(
  field: string,
  { name = '', key }: ConfigMapKeySelector | SecretKeySelector,
): FieldErrors {
  return [
    ...invalidFor(`${field}.name`, name, dns1123SubdomainProblems(name)),
    ...(key === ''
      ? [required(`${field}.key`)]
      : invalidFor(`${field}.key`, key, configKeyProblems(key))),
  ];
}

function validateFileKeyRef(
  field: string,
  { key, volumeName: volume, path }: FileKeySelector,
): FieldErrors {
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
export function validateEnvironmentSources(
  field: string,
  container: Container | EphemeralContainer,
): FieldErrors {
  return ofEach(container.envFrom, (source, index) => {
    const path = indexPath(field, index);
    const prefix = source.prefix ?? '';
    const { configMapRef, secretRef } = source;
    const sources = [
      configMapRef && validateWholeRef(`${path}.configMapRef`, configMapRef),
      secretRef && validateWholeRef(`${path}.secretRef`, secretRef),
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
function validateWholeRef(
  field: string,
  { name = '' }: ConfigMapEnvSource | SecretEnvSource,
): FieldErrors {
  return name === ''
    ? [required(`${field}.name`)]
    : invalidFor(`${field}.name`, name, nameIsDnsSubdomain(name, true));
}
