/** Conditions of both kinds: each type once. In Kubernetes: ValidateFlowSchemaStatus. */
import { stringAt } from '../../json/json.ts';
import type { KubeObject } from '../../meta/object-meta.ts';
import { duplicateValue, required, type FieldErrors } from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { repeatsIn } from '../rules/repeats.ts';
import { objectsAt, statusOf } from '../rules/value-validation.ts';

export function validateFlowConditions(object: KubeObject): FieldErrors {
  const types = objectsAt(statusOf(object), 'conditions').map((one) => stringAt(one, 'type'));
  const repeats = repeatsIn(types);
  return types.flatMap((type, index) => {
    const field = `${indexPath('status.conditions', index)}.type`;
    return [
      ...(repeats[index] === true ? [duplicateValue(field, type)] : []),
      ...(type === '' ? [required(field)] : []),
    ];
  });
}
