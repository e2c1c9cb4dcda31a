/**
 * PodGroups, whose pods are scheduled together, and Workloads, which hold templates of such groups. Fields
 * of features that are off are dropped; where the stored object has them they may stay, and not change.
 *
 * In Kubernetes: registry/scheduling/podgroup and workload; pkg/apis/scheduling/validation; the declared
 * rules and defaults of pkg/apis/scheduling/v1alpha2.
 */
import type {
  PodGroup,
  PodGroupResourceClaimStatus,
  PodGroupSchedulingPolicy,
  PodGroupSpec,
  PodGroupTemplate,
  PodGroupTemplateReference,
  TypedLocalObjectReference,
  Workload,
} from '../../generated/kinds/scheduling-v1alpha2.ts';
import { type FieldErrors, invalidValue, required, tooMany } from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { items } from '../../json/go-values.ts';
import { flatMapItems } from '../../json/work-in-slices.ts';
import { defineKind } from '../kind.ts';
import {
  declaredList,
  exactlyOneOf,
  given,
  longName,
  ofField,
  pathSegment,
  shortName,
  switchedOff,
  unchangeable,
  within,
} from '../rules/declared-rules.ts';
import { validateMetaConditions } from '../rules/status-validation.ts';
import { emptyStatus, METADATA_KEPT_BY_STATUS } from '../strategy-of.ts';

const TEMPLATES_MAX = 8;
const CLAIMS_MAX = 4;
/** Of the feature WorkloadAwarePreemption, which is off. */
const OF_PREEMPTION = ['disruptionMode', 'priorityClassName', 'priority'] as const;

/** Served where the feature gate GenericWorkload is on. */
export const podGroups = defineKind('scheduling.k8s.io/v1alpha2/podgroups', {
  rules: {
    status: {
      initial: emptyStatus,
      keeps: METADATA_KEPT_BY_STATUS,
      prepareForUpdate: ({ spec, status }) => {
        if (items(spec.resourceClaims).length === 0) delete status.resourceClaimStatuses;
      },
      validateUpdate: validateStatus,
    },
    prepareForCreate: ({ spec }) => {
      dropFromGroup(spec, undefined);
    },
    prepareForUpdate: ({ spec }, old) => {
      dropFromGroup(spec, old.spec);
    },
    validate: ({ spec }) => [
      ...validateTemplateRef(spec.podGroupTemplateRef),
      ...validatePolicy('spec.schedulingPolicy', spec.schedulingPolicy),
    ],
    validateUpdate: ({ spec }, { spec: old }) => validateGroupChange(spec, old),
  },
});

/** Served where the feature gate GenericWorkload is on. */
export const workloads = defineKind('scheduling.k8s.io/v1alpha2/workloads', {
  rules: {
    prepareForCreate: (workload) => {
      dropFromTemplates(workload, []);
    },
    prepareForUpdate: (workload, old) => {
      dropFromTemplates(workload, items(old.spec.podGroupTemplates));
    },
    validate: ({ spec }) => [
      ...validateControllerRef(spec.controllerRef),
      ...validateTemplates(items(spec.podGroupTemplates)),
    ],
    validateUpdate: ({ spec }, { spec: old }) => [
      ...ofField(spec, old, 'controllerRef', () => unchangeable('spec.controllerRef')),
      ...ofField(spec, old, 'podGroupTemplates', (templates) => [
        ...unchangeable('spec.podGroupTemplates'),
        ...validateLength(items(templates)),
      ]),
    ],
  },
});

/** Of pods that are scheduled together, each may be disrupted alone. */
export function setPodGroupDefaults({ spec }: PodGroup): void {
  spec.disruptionMode ??= 'Pod';
}

function dropFromGroup(spec: PodGroupSpec, old: PodGroupSpec | undefined): void {
  if (old?.schedulingConstraints === undefined) delete spec.schedulingConstraints;
  dropGated(spec, old);
}

/** Templates are compared with the old ones by their places. */
function dropFromTemplates({ spec }: Workload, olds: readonly PodGroupTemplate[]): void {
  for (const [index, template] of items(spec.podGroupTemplates).entries()) {
    const old = olds[index];
    if ((old?.schedulingConstraints ?? null) === null) template.schedulingConstraints = null;
    dropGated(template, old);
  }
}

type Gated = Pick<PodGroupSpec, (typeof OF_PREEMPTION)[number] | 'resourceClaims'>;

function dropGated(group: Gated, old: Gated | undefined): void {
  if (items(old?.resourceClaims).length === 0) delete group.resourceClaims;
  for (const key of OF_PREEMPTION) {
    if (!isUsed(key, old?.[key])) Reflect.deleteProperty(group, key);
  }
}

/** A name that is empty is none; a mode that is empty is a mode. */
function isUsed(key: string, value: unknown): boolean {
  return value !== undefined && !(key === 'priorityClassName' && value === '');
}

function validateTemplateRef(ref: PodGroupTemplateReference | null): FieldErrors {
  if (ref === null) return [];
  const path = 'spec.podGroupTemplateRef';
  const { workload } = ref;
  if (workload === null) return exactlyOneOf(path, {}, ['workload']);
  const { workloadName, podGroupTemplateName } = workload;
  return [
    ...given(`${path}.workload.workloadName`, workloadName, longName),
    ...given(`${path}.workload.podGroupTemplateName`, podGroupTemplateName, shortName),
  ];
}

function validatePolicy(path: string, policy: PodGroupSchedulingPolicy): FieldErrors {
  const { gang } = policy;
  return [
    ...exactlyOneOf(path, policy, ['basic', 'gang']),
    ...(gang === undefined ? [] : validateCount(`${path}.gang.minCount`, gang.minCount)),
  ];
}

function validateCount(path: string, count: number): FieldErrors {
  return count === 0 ? [required(path)] : within(path, count, { min: 1 });
}

function validateGroupChange(spec: PodGroupSpec, old: PodGroupSpec): FieldErrors {
  const path = 'spec';
  const offOrUnset = (key: keyof PodGroupSpec, value: unknown): FieldErrors =>
    isUsed(key, value) ? switchedOff(`${path}.${key}`) : [];
  return [
    ...ofField(spec, old, 'podGroupTemplateRef', () => unchangeable(`${path}.podGroupTemplateRef`)),
    ...ofField(spec, old, 'schedulingPolicy', () => unchangeable(`${path}.schedulingPolicy`)),
    ...ofField(spec, old, 'schedulingConstraints', (constraints) =>
      offOrUnset('schedulingConstraints', constraints),
    ),
    ...ofField(spec, old, 'resourceClaims', (claims) => [
      ...unchangeable(`${path}.resourceClaims`),
      ...declaredList(`${path}.resourceClaims`, items(claims), [], { itemsMax: CLAIMS_MAX }),
    ]),
    ...OF_PREEMPTION.flatMap((key) => ofField(spec, old, key, (value) => offOrUnset(key, value))),
  ];
}

function validateControllerRef(ref: TypedLocalObjectReference | undefined): FieldErrors {
  if (ref === undefined) return [];
  const path = 'spec.controllerRef';
  const { apiGroup = '', kind, name } = ref;
  return [
    ...(apiGroup === '' ? [] : longName(`${path}.apiGroup`, apiGroup)),
    ...given(`${path}.kind`, kind, pathSegment),
    ...given(`${path}.name`, name, pathSegment),
  ];
}

function validateTemplates(templates: readonly PodGroupTemplate[]): FieldErrors {
  if (templates.length === 0) return validateLength(templates);
  return declaredList('spec.podGroupTemplates', templates, [], {
    itemsMax: TEMPLATES_MAX,
    keyOf: ({ name }) => name,
    check: (path, { name, schedulingPolicy }) => [
      ...given(`${path}.name`, name, shortName),
      ...validatePolicy(`${path}.schedulingPolicy`, schedulingPolicy),
    ],
  });
}

function validateLength({ length }: readonly PodGroupTemplate[]): FieldErrors {
  const path = 'spec.podGroupTemplates';
  if (length === 0) return [required(path)];
  return length > TEMPLATES_MAX ? [tooMany(path, length, TEMPLATES_MAX)] : [];
}

function validateStatus({ spec, status }: PodGroup, old: PodGroup): FieldErrors {
  const path = 'status.resourceClaimStatuses';
  const claims = new Set(items(spec.resourceClaims).map(({ name }) => name));
  const statuses = items(status.resourceClaimStatuses);
  const unknown = 'must match the name of an entry in `spec.resourceClaims`';
  return [
    ...validateMetaConditions('status.conditions', items(status.conditions)),
    ...flatMapItems(statuses, ({ name }, index) =>
      claims.has(name) ? [] : [invalidValue(`${indexPath(path, index)}.name`, name, unknown)],
    ),
    ...ofField(status, old.status, 'resourceClaimStatuses', () =>
      declaredList(path, statuses, items(old.status.resourceClaimStatuses), {
        itemsMax: CLAIMS_MAX,
        keyOf: ({ name }) => name,
        check: validateClaimStatus,
      }),
    ),
  ];
}

function validateClaimStatus(
  path: string,
  { resourceClaimName: name }: PodGroupResourceClaimStatus,
): FieldErrors {
  return name === undefined ? [] : longName(`${path}.resourceClaimName`, name);
}
