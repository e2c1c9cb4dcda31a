/**
 * Pods that a node would rather not have, as JSON in an annotation: what taints are for today.
 *
 * In Kubernetes: ValidateAvoidPodsInNodeAnnotations, pkg/apis/core/validation.
 */
import type { Node } from '../../../generated/kinds/core-v1.ts';
import { isJsonObject, objectAt, type JsonObject } from '../../../json/json.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { presentAt } from '../../pod-spec/pod-rules.ts';
import { objectsAt } from '../../rules/value-validation.ts';
import { parseJson } from '../../../json/json-text.ts';

const KEY = 'scheduler.alpha.kubernetes.io/preferAvoidPods';
const ANNOTATIONS = 'metadata.annotations';

export function validateAvoidedPods({ metadata }: Node): FieldErrors {
  const text = metadata.annotations?.[KEY] ?? '';
  if (text === '') return [];
  const avoided = parsedObject(text);
  if (avoided === undefined) {
    return [invalidValue(`${ANNOTATIONS}.AvoidPods`, KEY, 'must be an object in JSON')];
  }
  return objectsAt(avoided, 'preferAvoidPods').flatMap((entry, index) => {
    const path = `${indexPath(`${ANNOTATIONS}.${KEY}`, index)}.PodSignature`;
    const controller = presentAt(objectAt(entry, 'podSignature'), 'podController');
    if (controller === undefined) return [required(path)];
    const isController = controller['controller'] === true;
    const detail = 'must point to a controller';
    return isController ? [] : [invalidValue(`${path}.PodController.Controller`, false, detail)];
  });
}

/** What says `null` is an empty one, as in Go. */
function parsedObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    if (value === null) return {};
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
