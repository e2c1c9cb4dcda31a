/**
 * StorageVersionMigrations: that all objects of a resource are to be written anew, in the version that
 * is stored by now. kube-controller-manager does it, and says in the status how far it is.
 *
 * In Kubernetes: registry/storagemigration/storagemigration; pkg/apis/storagemigration/validation.
 */
import type { StorageVersionMigration } from '../../generated/kinds/storagemigration-v1beta1.ts';
import { type FieldErrors, invalidValue, required } from '../../field/field-errors.ts';
import { items } from '../../json/go-values.ts';
import { dns1035LabelProblems, dns1123SubdomainProblems } from '../../meta/names.ts';
import { defineKind } from '../kind.ts';
import { sameValue } from '../rules/same-value.ts';
import { validateMetaConditions } from '../rules/status-validation.ts';
import { emptyStatus, METADATA_KEPT_BY_STATUS } from '../strategy-of.ts';

/** Served where the feature gate StorageVersionMigrator is on. */
export const storageVersionMigrations = defineKind(
  'storagemigration.k8s.io/v1beta1/storageversionmigrations',
  {
    rules: {
      allowsUnconditionalUpdate: false,
      status: {
        initial: emptyStatus,
        keeps: METADATA_KEPT_BY_STATUS,
        validateUpdate: validateStatus,
      },
      validate: validateMigration,
      validateChange: ({ spec }, old) =>
        sameValue(spec, old.spec) ? [] : [invalidValue('spec', { ...spec }, 'field is immutable')],
    },
  },
);

function validateMigration({ spec }: StorageVersionMigration): FieldErrors {
  const { group, resource } = spec.resource;
  const field = 'spec.resource';
  const problems = dns1035LabelProblems(resource);
  const groupProblems = group === '' ? [] : dns1123SubdomainProblems(group);
  return [
    ...(resource === '' ? [required(`${field}.resource`, 'resource is required to be set')] : []),
    ...(resource !== '' && problems.length > 0
      ? [invalidValue(`${field}.resource`, resource, problems.join(','))]
      : []),
    ...(groupProblems.length > 0
      ? [invalidValue(`${field}.group`, group, groupProblems.join(','))]
      : []),
  ];
}

const WELL_FORMED = /^[1-9]\d*$/;
const CONDITIONS = 'status.conditions';

function validateStatus(
  migration: StorageVersionMigration,
  old: StorageVersionMigration,
): FieldErrors {
  const { status } = migration;
  const { resourceVersion: version = '' } = status;
  const { resourceVersion: oldVersion = '' } = old.status;
  const field = 'status.resourceVersion';
  const problem = version === '' ? undefined : versionProblem(version);
  const isSet = (type: string, of: StorageVersionMigration): boolean =>
    items(of.status.conditions).find((one) => one.type === type)?.status === 'True';
  const conditions = items(status.conditions).map((one) => ({ ...one }));
  const isBoth = isSet('Succeeded', migration) && isSet('Failed', migration);
  const both = 'Both success and failed conditions cannot be true at the same time';
  const fixed = [
    ['Succeeded', 'Success condition cannot be set to false once it is true'],
    ['Failed', 'Failed condition cannot be set to false once it is true'],
  ] as const;
  return [
    ...(problem === undefined ? [] : [invalidValue(field, version, problem)]),
    ...validateMetaConditions(CONDITIONS, items(status.conditions)),
    ...(oldVersion !== '' && oldVersion !== version
      ? [invalidValue(field, version, 'field is immutable')]
      : []),
    ...(isBoth ? [invalidValue(CONDITIONS, conditions, both)] : []),
    ...fixed
      .filter(([type]) => isSet(type, old) && !isSet(type, migration))
      .map(([, detail]) => invalidValue(CONDITIONS, conditions, detail)),
  ];
}

/** In Kubernetes: CompareResourceVersion, apimachinery/pkg/util/resourceversion. */
function versionProblem(version: string): string | undefined {
  return WELL_FORMED.test(version) ? undefined : `resource version is not well formed: ${version}`;
}
