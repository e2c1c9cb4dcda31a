/**
 * What the status of a custom resource definition should be: its names, whether it is established,
 * whether its group was approved. Kubernetes has a controller for each and writes two or three
 * times; here one look gives all of it, and one write.
 *
 * In Kubernetes: the naming, establishing, apiapproval and nonstructuralschema controllers,
 * apiextensions-apiserver/pkg/controller.
 */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from '../../../api/generated/kinds/apiextensions-v1.ts';
import { approvalCondition } from '../../../api/kinds/apiextensions/customresourcedefinitions/api-approval.ts';
import { caBundleProblem } from '../../../api/kinds/apiextensions/customresourcedefinitions/conversion-validation.ts';
import {
  type Condition,
  conditionIn,
  isSameCondition,
  structureCondition,
  withCondition,
  withoutCondition,
  hasCondition,
} from '../../../api/kinds/apiextensions/customresourcedefinitions/conditions.ts';
import { sameValue } from '../../../api/kinds/rules/same-value.ts';
import { decideNames, type TakenNames } from './crd-names.ts';

type Status = CustomResourceDefinitionStatus;

export interface StatusSettings {
  readonly taken: TakenNames;
  /** RFC 3339 */
  readonly now: string;
  /** The definition with its schemas; undefined: they are those that were looked at before. */
  readonly whole: (() => CustomResourceDefinition | undefined) | undefined;
}

/**
 * @param definition with or without its schemas; not changed.
 * @returns undefined: it is what it should be.
 */
export function nextStatus(
  definition: CustomResourceDefinition,
  { taken, now, whole }: StatusSettings,
): Status | undefined {
  const { spec, status: before } = definition;
  let status = approved(before, definition, now);
  if (whole !== undefined) status = structured(status, definition, { whole, now });
  status = named(status, spec, { taken, now });
  status = established(status, spec, now);
  return status === before ? undefined : status;
}

/** Whether {@link nextStatus} has nothing to do, as far as that can be told without the others. */
export function isSettled(definition: CustomResourceDefinition): boolean {
  const { spec, status } = definition;
  const approval = approvalCondition(definition);
  return (
    hasCondition(definition, 'Established') &&
    sameValue(spec.names, status.acceptedNames) &&
    (approval === undefined || isSameCondition(approval, conditionIn(status, approval.type)))
  );
}

function approved(status: Status, definition: CustomResourceDefinition, now: string): Status {
  const condition = approvalCondition(definition);
  return condition === undefined ? status : changed(status, condition, now);
}

function structured(
  status: Status,
  { spec }: CustomResourceDefinition,
  {
    whole,
    now,
  }: {
    readonly whole: () => CustomResourceDefinition | undefined;
    readonly now: string;
  },
): Status {
  // What drops unknown fields is refused when it is not structural, and always was.
  const doubtful = spec.preserveUnknownFields === true ? whole() : undefined;
  const condition = doubtful === undefined ? undefined : structureCondition(doubtful);
  if (condition !== undefined) return changed(status, condition, now);
  const isThere = conditionIn(status, 'NonStructuralSchema') !== undefined;
  return isThere ? withoutCondition(status, 'NonStructuralSchema') : status;
}

function named(
  status: Status,
  { names }: CustomResourceDefinitionSpec,
  { taken, now }: { readonly taken: TakenNames; readonly now: string },
): Status {
  const before = status.acceptedNames;
  if (sameValue(names, before)) return status;
  const { accepted, condition } = decideNames(names, before, taken);
  const hasSaidSo = isSameCondition(condition, conditionIn(status, 'NamesAccepted'));
  if (sameValue(accepted, before) && hasSaidSo) return status;
  const next = withCondition({ ...status, acceptedNames: accepted }, condition, now);
  // What was established stays so, whatever names it wants now.
  const old = conditionIn(status, 'Established');
  if (old?.status === 'True') return next;
  if (condition.status === 'True') return withCondition(next, INSTALLING, now);
  return old === undefined ? withCondition(next, NOT_ACCEPTED, now) : next;
}

function established(status: Status, spec: CustomResourceDefinitionSpec, now: string): Status {
  if (conditionIn(status, 'NamesAccepted')?.status !== 'True') return status;
  if (conditionIn(status, 'Established')?.status === 'True') return status;
  const bundle = spec.conversion?.webhook?.clientConfig?.caBundle ?? '';
  const isTrusted = caBundleProblem(bundle) === undefined;
  return changed(status, isTrusted ? ESTABLISHED : UNTRUSTED, now);
}

function changed(status: Status, condition: Condition, now: string): Status {
  const isSame = isSameCondition(condition, conditionIn(status, condition.type));
  return isSame ? status : withCondition(status, condition, now);
}

const INSTALLING: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'Installing',
  message: 'the initial names have been accepted',
};
const NOT_ACCEPTED: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};
const ESTABLISHED: Condition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const UNTRUSTED: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
};
