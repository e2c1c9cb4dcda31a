/** What a stateful set may say. In Kubernetes: ValidateStatefulSet, pkg/apis/apps/validation. */
import { items } from '../../../json/go-values.ts';
import type {
  StatefulSet,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
  RollingUpdateStatefulSetStrategy,
} from '../../../generated/kinds/apps-v1.ts';
import type { JsonObject } from '../../../json/json.ts';
import { dns1123LabelProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateClaimSpec } from '../../rules/claim-spec-validation.ts';
import { internalForm } from '../../internal-struct.ts';
import {
  validateLongRunning,
  validatePodTemplate,
  validateTemplateOfSelector,
  validateWorkloadSelector,
} from '../../pod-spec/pod-template-validation.ts';
import { validateCollisionCount, validateReplicaCounts } from '../../rules/status-validation.ts';
import { sameValue } from '../../rules/same-value.ts';
import { carryOver } from '../../strategy-of.ts';
import {
  intOrPercentOf,
  invalidFor,
  isMissing,
  nonNegative,
  nonNegativeAt,
  notMoreThan100Percent,
  positiveIntOrPercent,
} from '../../rules/value-validation.ts';

const RETENTION_POLICIES = ['Retain', 'Delete'];
const PARTS = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
/** Everything else was decided when the set was made. */
const MAY_CHANGE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

export function validateStatefulSet(statefulSet: StatefulSet): FieldErrors {
  return validateSpec(statefulSet.spec, { isNew: true, isTemplateChecked: true });
}

/**
 * The name of the service and the claims cannot change, so they are not held against an old set;
 * nor is the template held against one that was wrong before.
 */
export function validateStatefulSetChange(statefulSet: StatefulSet, old: StatefulSet): FieldErrors {
  const rest: JsonObject = { ...statefulSet.spec };
  const oldSpec = old.spec;
  for (const key of MAY_CHANGE) carryOver(rest, oldSpec, key);
  const detail =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', " +
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and " +
    "'minReadySeconds' are forbidden";
  return [
    ...validateSpec(
      statefulSet.spec,
      {
        isNew: false,
        isTemplateChecked: validateSpec(oldSpec, OLD, oldSpec).length === 0,
      },
      oldSpec,
    ),
    ...(sameValue(rest, oldSpec) ? [] : [forbiddenField('spec', detail)]),
  ];
}

/** The rules of the `status` subresource. */
export function validateStatefulSetStatus(statefulSet: StatefulSet, old: StatefulSet): FieldErrors {
  const status = statefulSet.status;
  const counts = ['replicas', ...PARTS, 'observedGeneration', 'collisionCount'];
  return [
    ...nonNegativeAt('status', status, counts),
    ...validateReplicaCounts(status, PARTS, 'status.readyReplicas'),
    ...validateCollisionCount(statefulSet, old),
  ];
}

interface SpecRules {
  readonly isNew: boolean;
  readonly isTemplateChecked: boolean;
}

const OLD: SpecRules = { isNew: false, isTemplateChecked: true };

function validateSpec(
  spec: StatefulSetSpec,
  { isNew, isTemplateChecked }: SpecRules,
  oldSpec?: StatefulSetSpec,
): FieldErrors {
  const serviceName = spec.serviceName;
  return [
    ...validateManagement(spec),
    ...validateUpdateStrategy(spec.updateStrategy),
    ...validateRetention(spec),
    ...(isNew ? validateClaims(spec) : []),
    ...nonNegativeAt('spec', spec, ['replicas', 'minReadySeconds']),
    ...nonNegative('spec.ordinals.start', spec.ordinals?.start),
    ...(isNew && serviceName !== ''
      ? invalidFor('spec.serviceName', serviceName, dns1123LabelProblems(serviceName))
      : []),
    ...validateWorkloadSelector(spec, 'statefulset'),
    ...validateTemplateOfSelector(spec, '', () =>
      isTemplateChecked ? validatePodTemplate('spec.template', asValidated(spec), oldSpec) : [],
    ),
    ...validateLongRunning('spec.template', spec, 'StatefulSet'),
  ];
}

function validateClaims(spec: StatefulSetSpec): FieldErrors {
  return items(spec.volumeClaimTemplates).flatMap((claim, index) =>
    validateClaimSpec(`${indexPath('spec.volumeClaimTemplates', index)}.spec`, claim.spec),
  );
}

function validateManagement(spec: StatefulSetSpec): FieldErrors {
  const field = 'spec.podManagementPolicy';
  const policy = spec.podManagementPolicy ?? '';
  if (policy === '') return [required(field)];
  return policy === 'OrderedReady' || policy === 'Parallel'
    ? []
    : [invalidValue(field, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function validateUpdateStrategy(strategy: StatefulSetUpdateStrategy): FieldErrors {
  const field = 'spec.updateStrategy';
  const rollingUpdate = strategy.rollingUpdate;
  switch (strategy.type ?? '') {
    case '':
      return [required(field)];
    case 'OnDelete':
      return rollingUpdate === undefined
        ? []
        : [
            invalidValue(
              `${field}.rollingUpdate`,
              internalForm('RollingUpdateStatefulSetStrategy', rollingUpdate),
              "only allowed for updateStrategy 'RollingUpdate'",
            ),
          ];
    case 'RollingUpdate':
      return rollingUpdate === undefined
        ? []
        : validateRollingUpdate(`${field}.rollingUpdate`, rollingUpdate);
    default:
      return [
        invalidValue(
          field,
          internalForm('StatefulSetUpdateStrategy', strategy),
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      ];
  }
}

function validateRollingUpdate(
  field: string,
  update: RollingUpdateStatefulSetStrategy,
): FieldErrors {
  const { partition, maxUnavailable } = update;
  const partitionErrors = nonNegative(`${field}.partition`, partition);
  if (isMissing(maxUnavailable)) return partitionErrors;
  const path = `${field}.maxUnavailable`;
  return [
    ...partitionErrors,
    ...positiveIntOrPercent(path, maxUnavailable),
    ...(intOrPercentOf(maxUnavailable) === 0
      ? [invalidValue(path, maxUnavailable, 'cannot be 0')]
      : []),
    ...notMoreThan100Percent(path, maxUnavailable),
  ];
}

function validateRetention(spec: StatefulSetSpec): FieldErrors {
  const policy = spec.persistentVolumeClaimRetentionPolicy;
  if (policy === undefined) return [];
  const keys = ['whenDeleted', 'whenScaled'] as const;
  return keys.flatMap((key) => {
    const { [key]: action = '' } = policy;
    const field = `spec.persistentVolumeClaimRetentionPolicy.${key}`;
    return RETENTION_POLICIES.includes(action)
      ? []
      : [notSupported(field, action, RETENTION_POLICIES)];
  });
}

/**
 * Containers may mount what the claims will provide, in place of a volume of the same name. The
 * host names in the template are never used.
 */
function asValidated(spec: StatefulSetSpec): JsonObject {
  const claims = items(spec.volumeClaimTemplates).map((claim) => claim.metadata.name ?? '');
  const names = new Set(claims);
  const template = spec.template;
  const podSpec = template.spec;
  const others = items(podSpec.volumes).filter((volume) => !names.has(volume.name));
  const provided = claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const volumes = [...provided, ...others];
  const { hostname: _hostname, subdomain: _subdomain, ...rest } = podSpec;
  return { ...spec, template: { ...template, spec: { ...rest, volumes } } };
}
