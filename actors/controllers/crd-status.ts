/**
 * What the status of a custom resource definition should be: its names, whether it is established,
 * whether its group was approved. Kubernetes has a controller for each and writes two or three
 * times; here one look gives all of it, and one write.
 *
 * In Kubernetes: the naming, establishing, apiapproval and nonstructuralschema controllers,
 * apiextensions-apiserver/pkg/controller.
 */
import { objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { approvalCondition } from '../../api/kinds/apiextensions/customresourcedefinitions/api-approval.ts';
import { caBundleProblem } from '../../api/kinds/apiextensions/customresourcedefinitions/ca-bundle.ts';
import {
  conditionIn,
  isSameCondition,
  withCondition,
  withoutCondition,
  type Condition,
} from '../../api/kinds/apiextensions/customresourcedefinitions/conditions.ts';
import { structureCondition } from '../../api/kinds/apiextensions/customresourcedefinitions/structure-condition.ts';
import { sameValue } from '../../api/kinds/rules/same-value.ts';
import { specOf, statusOf } from '../../api/kinds/rules/value-validation.ts';
import { decideNames, type TakenNames } from './crd-names.ts';

export interface StatusSettings {
  readonly taken: TakenNames;
  /** RFC 3339 */
  readonly now: string;
  /** The definition with its schemas; undefined: they are those that were looked at before. */
  readonly whole: (() => KubeObject | undefined) | undefined;
}

/**
 * @param definition with or without its schemas; not changed.
 * @returns undefined: it is what it should be.
 */
export function nextStatus(
  definition: KubeObject,
  { taken, now, whole }: StatusSettings,
): JsonObject | undefined {
  const before = statusOf(definition);
  const spec = specOf(definition);
  let status = approved(before, definition, now);
  if (whole !== undefined) status = structured(status, definition, { whole, now });
  status = named(status, spec, { taken, now });
  status = established(status, spec, now);
  return status === before ? undefined : status;
}

/** Whether {@link nextStatus} has nothing to do, as far as that can be told without the others. */
export function isSettled(definition: KubeObject): boolean {
  const status = statusOf(definition);
  const approval = approvalCondition(definition);
  return (
    stringAt(conditionIn(status, 'Established'), 'status') === 'True' &&
    sameValue(specOf(definition)['names'], status['acceptedNames']) &&
    (approval === undefined || isSameCondition(approval, conditionIn(status, approval.type)))
  );
}

function approved(status: JsonObject, definition: KubeObject, now: string): JsonObject {
  const condition = approvalCondition(definition);
  return condition === undefined ? status : changed(status, condition, now);
}

function structured(
  status: JsonObject,
  definition: KubeObject,
  { whole, now }: { readonly whole: () => KubeObject | undefined; readonly now: string },
): JsonObject {
  // What drops unknown fields is refused when it is not structural, and always was.
  const doubtful = specOf(definition)['preserveUnknownFields'] === true ? whole() : undefined;
  const condition = doubtful === undefined ? undefined : structureCondition(doubtful);
  if (condition !== undefined) return changed(status, condition, now);
  const isThere = conditionIn(status, 'NonStructuralSchema') !== undefined;
  return isThere ? withoutCondition(status, 'NonStructuralSchema') : status;
}

function named(
  status: JsonObject,
  spec: JsonObject,
  { taken, now }: { readonly taken: TakenNames; readonly now: string },
): JsonObject {
  const names = objectAt(spec, 'names') ?? {};
  const before = objectAt(status, 'acceptedNames') ?? {};
  if (sameValue(names, before)) return status;
  const { accepted, condition } = decideNames(names, before, taken);
  const hasSaidSo = isSameCondition(condition, conditionIn(status, 'NamesAccepted'));
  if (sameValue(accepted, before) && hasSaidSo) return status;
  const next = withCondition({ ...status, acceptedNames: accepted }, condition, now);
  // What was established stays so, whatever names it wants now.
  const old = conditionIn(status, 'Established');
  if (stringAt(old, 'status') === 'True') return next;
  if (condition.status === 'True') return withCondition(next, INSTALLING, now);
  return old === undefined ? withCondition(next, NOT_ACCEPTED, now) : next;
}

function established(status: JsonObject, spec: JsonObject, now: string): JsonObject {
  if (stringAt(conditionIn(status, 'NamesAccepted'), 'status') !== 'True') return status;
  if (stringAt(conditionIn(status, 'Established'), 'status') === 'True') return status;
  const client = objectAt(objectAt(objectAt(spec, 'conversion'), 'webhook'), 'clientConfig');
  const isTrusted = caBundleProblem(stringAt(client, 'caBundle')) === undefined;
  return changed(status, isTrusted ? ESTABLISHED : UNTRUSTED, now);
}

function changed(status: JsonObject, condition: Condition, now: string): JsonObject {
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
