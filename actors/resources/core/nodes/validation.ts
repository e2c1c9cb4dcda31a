/** What a node may say. In Kubernetes: ValidateNode, pkg/apis/core/validation. */
import { stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import { labelValueProblems, qualifiedNameProblems } from '../../../../api/meta/names.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import {
  duplicateValue,
  forbiddenField,
  notSupported,
  required,
  type FieldError,
  type FieldErrors,
} from '../../../../api/schema/field-errors.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { sameValue } from '../../same-value.ts';
import { invalidFor, objectsAt, specOf, statusOf, stringsAt } from '../../value-validation.ts';

const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateNode(node: KubeObject): FieldErrors {
  return validateTaints(specOf(node));
}

/** The rules of every update, that of the status included. */
export function validateNodeChange(node: KubeObject, old: KubeObject): FieldErrors {
  const spec = specOf(node);
  const oldSpec = specOf(old);
  const oldCidrs = stringsAt(oldSpec, 'podCIDRs');
  const isCidrFixed = oldCidrs.length === 0 || sameValue(stringsAt(spec, 'podCIDRs'), oldCidrs);
  const oldProvider = stringAt(oldSpec, 'providerID');
  const isProviderFixed = oldProvider === '' || stringAt(spec, 'providerID') === oldProvider;
  const isIdFixed = stringAt(spec, 'externalID') === stringAt(oldSpec, 'externalID');
  const detail = 'may not change FIELD except from "" to valid';
  return [
    ...validateAddresses(node),
    ...(isCidrFixed
      ? []
      : [forbiddenField('spec.podCIDRs', `node updates ${detail.replace('FIELD', 'podCIDR')}`)]),
    ...(isProviderFixed
      ? []
      : [
          forbiddenField(
            'spec.providerID',
            `node updates ${detail.replace('FIELD', 'providerID')}`,
          ),
        ]),
    ...(isIdFixed ? [] : [forbiddenField('spec.externalID', 'may not be updated')]),
  ];
}

function validateAddresses(node: KubeObject): FieldErrors {
  const seen: JsonObject[] = [];
  return objectsAt(statusOf(node), 'addresses').flatMap((address, index) => {
    const isTaken = seen.some((one) => sameValue(one, address));
    seen.push(address);
    return isTaken ? [duplicateValue(indexPath('status.addresses', index), address)] : [];
  });
}

/** Upstream's paths begin with `metadata` here. */
function validateTaints(spec: JsonObject): FieldErrors {
  const seen = new Set<string>();
  return objectsAt(spec, 'taints').flatMap((taint, index) => {
    const path = indexPath('metadata.taints', index);
    const key = stringAt(taint, 'key');
    const value = stringAt(taint, 'value');
    const effect = stringAt(taint, 'effect');
    const identity = `${key}:${effect}`;
    const isTaken = seen.has(identity);
    seen.add(identity);
    return [
      ...invalidFor(`${path}.key`, key, qualifiedNameProblems(key)),
      ...invalidFor(`${path}.value`, value, joined(labelValueProblems(value))),
      ...validateEffect(`${path}.effect`, effect),
      ...(isTaken ? [duplicateTaint(path, taint)] : []),
    ];
  });
}

function duplicateTaint(path: string, taint: JsonObject): FieldError {
  // As Go prints its internal form.
  const shown = {
    Key: stringAt(taint, 'key'),
    Value: stringAt(taint, 'value'),
    Effect: stringAt(taint, 'effect'),
    TimeAdded: taint['timeAdded'] ?? null,
  };
  const error = duplicateValue(path, shown);
  return { ...error, body: `${error.body}: taints must be unique by key and effect pair` };
}

function joined(problems: readonly string[]): readonly string[] {
  return problems.length === 0 ? [] : [problems.join(';')];
}

function validateEffect(field: string, effect: string): FieldErrors {
  if (effect === '') return [required(field)];
  return TAINT_EFFECTS.includes(effect) ? [] : [notSupported(field, effect, TAINT_EFFECTS)];
}
