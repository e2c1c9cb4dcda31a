/**
 * StorageVersions: in which version each server of a control plane stores a resource, and which it can
 * read, so that no object is migrated to a version that one of them does not know.
 *
 * In Kubernetes: registry/apiserverinternal/storageversion; pkg/apis/apiserverinternal/validation.
 */
import type {
  ServerStorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '../../generated/kinds/apiserverinternal-v1alpha1.ts';
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  required,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { items } from '../../json/go-values.ts';
import { flatMapItems } from '../../json/work-in-slices.ts';
import {
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  qualifiedNameProblems,
  withFormat,
} from '../../meta/names.ts';
import { validateStandardFinalizers } from '../../validation/object-meta-validation.ts';
import { defineKind } from '../kind.ts';
import { invalidFor, repeatsIn } from '../rules/value-validation.ts';
import { emptyStatus, METADATA_KEPT_BY_STATUS, passes } from '../strategy-of.ts';

const LABEL_FORMAT = '[a-z]([-a-z0-9]*[a-z0-9])?';
const NOT_AN_API_VERSION = `an apiVersion is ${withFormat(
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an " +
    'alphabetic character, and end with an alphanumeric character',
  LABEL_FORMAT,
  ['my-name', 'abc-123'],
)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`;

/** The kind StorageVersion. */
export const storageVersions = defineKind('internal.apiserver.k8s.io/v1alpha1/storageversions', {
  rules: {
    validateName: nameProblems,
    allowsUnconditionalUpdate: false,
    // Upstream looks at the finalizers of a new object only.
    takesAnyFinalizer: true,
    validate: ({ metadata }) => validateStandardFinalizers(metadata),
    validateUpdate: passes,
    status: {
      initial: emptyStatus,
      keeps: METADATA_KEPT_BY_STATUS,
      validateUpdate: ({ status }) => validateStatus(status),
    },
  },
});

/** `<group>.<resource>`; the group of the core is called `core`. */
function nameProblems(name: string): readonly string[] {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...dns1123SubdomainProblems(name.slice(0, dot)).map((one) => `the group segment ${one}`),
    ...dns1035LabelProblems(name.slice(dot + 1)).map((one) => `the resource segment ${one}`),
  ];
}

function validateStatus(status: StorageVersionStatus): FieldErrors {
  const servers = items(status.storageVersions);
  const repeats = repeatsIn(servers.map(({ apiServerID = '' }) => apiServerID));
  return [
    ...flatMapItems(servers, (server, index) => {
      const path = indexPath('status.storageVersions', index);
      const id = server.apiServerID ?? '';
      return [
        ...(repeats[index] === true ? [duplicateValue(`${path}.apiServerID`, id)] : []),
        ...validateServer(path, server),
      ];
    }),
    ...validateCommonVersion(status),
    ...validateConditions(items(status.conditions)),
  ];
}

function validateServer(path: string, server: ServerStorageVersion): FieldErrors {
  const { apiServerID: id = '', encodingVersion: encoding = '' } = server;
  const decodable = items(server.decodableVersions);
  const known = new Set(decodable);
  const shown = decodable.length === 0 ? null : [...decodable];
  const missing = `decodableVersions must include encodingVersion ${encoding}`;
  const all = `[${decodable.join(' ')}]`;
  return [
    ...invalidFor(`${path}.apiServerID`, id, dns1123SubdomainProblems(id)),
    ...validateVersion(`${path}.encodingVersion`, encoding),
    ...flatMapItems(decodable, (version, index) =>
      validateVersion(indexPath(`${path}.decodableVersions`, index), version),
    ),
    ...(known.has(encoding) ? [] : [invalidValue(`${path}.decodableVersions`, shown, missing)]),
    ...flatMapItems(items(server.servedVersions), (version, index) => {
      const at = indexPath(`${path}.servedVersions`, index);
      const detail = `individual served version : ${version} must be included in decodableVersions : ${all}`;
      return [
        ...validateVersion(at, version),
        ...(known.has(version) ? [] : [invalidValue(at, version, detail)]),
      ];
    }),
  ];
}

function validateVersion(field: string, apiVersion: string): FieldErrors {
  const problems = versionProblems(apiVersion);
  return problems.length === 0 ? [] : [invalidValue(field, apiVersion, problems.join(','))];
}

function versionProblems(apiVersion: string): readonly string[] {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [NOT_AN_API_VERSION];
  const [version = '', group] = parts.reverse();
  return [
    ...(group === undefined ? [] : problemsOf('group', group, dns1123SubdomainProblems)),
    ...problemsOf('version', version, dns1035LabelProblems),
  ];
}

function problemsOf(
  part: string,
  text: string,
  problems: (text: string) => readonly string[],
): readonly string[] {
  const found = text === '' ? ['must be non-empty'] : problems(text);
  return found.map((one) => `${part} part: ${one}`);
}

/** Upstream says it where all servers store one version, and only there. */
function validateCommonVersion(status: StorageVersionStatus): FieldErrors {
  const [first, ...others] = items(status.storageVersions).map(
    ({ encodingVersion = '' }) => encodingVersion,
  );
  const actual = others.every((one) => one === first) ? first : undefined;
  const told = status.commonEncodingVersion;
  if (actual === told) return [];
  const field = 'status.commonEncodingVersion';
  if (actual === undefined) {
    const detail =
      'should be nil if servers do not agree on the same encoding version, or if there is no ' +
      'server reporting the supported versions yet';
    return [invalidValue(field, told, detail)];
  }
  return told === undefined
    ? [invalidValue(field, null, `the common encoding version is ${actual}`)]
    : [invalidValue(field, told, `the actual common encoding version is ${actual}`)];
}

/** Upstream's paths of conditions leave out the name of their list. */
function validateConditions(conditions: readonly StorageVersionCondition[]): FieldErrors {
  const seen = new Map<string, number>();
  return conditions.flatMap(({ type, status, reason, message = '' }, index) => {
    const path = indexPath('status', index);
    const before = seen.get(type);
    seen.set(type, index);
    const twice = `the type of the condition is not unique, it also appears in conditions[${String(before)}]`;
    return [
      ...(before === undefined ? [] : [invalidValue(`${path}.type`, type, twice)]),
      ...invalidFor(`${path}.type`, type, qualifiedNameProblems(type)),
      ...invalidFor(`${path}.status`, status, qualifiedNameProblems(status)),
      ...(reason === '' ? [required(`${path}.reason`)] : []),
      ...(message === '' ? [required(`${path}.message`)] : []),
    ];
  });
}
