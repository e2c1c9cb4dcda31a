/**
 * The `ephemeralcontainers` subresource: containers that join a running pod, for `kubectl debug`.
 * They can be added, never changed or taken away.
 *
 * In Kubernetes: podEphemeralContainersStrategy, registry/core/pod.
 */
import type { Pod } from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import type { ObjectOf } from '../../../meta/object-meta.ts';
import { goQuote } from '../../../json/go-format.ts';
import type { UpdateRules } from '../../strategy.ts';
import { forbiddenField, type FieldErrors } from '../../../field/field-errors.ts';
import { preparedPodSpec } from '../../pod-spec/pod-spec-preparation.ts';
import { internalDiff } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { METADATA_KEPT_BY_STATUS, carryOver, countGeneration } from '../../strategy-of.ts';
import { validateFixedAnnotations } from './update-validation.ts';
import { MIRROR } from '../../pod-spec/pod-rules.ts';
import { validateAnyPod } from './validation.ts';

const FIELD = 'spec.ephemeralContainers';

export const ephemeralContainers: UpdateRules<ObjectOf<Pod>> = {
  prepareForUpdate(pod, old) {
    const spec = { ...old.spec };
    carryOver(spec, pod.spec, 'ephemeralContainers');
    pod.spec = preparedPodSpec(spec, old.spec);
    pod.status = old.status;
    for (const key of METADATA_KEPT_BY_STATUS) carryOver(pod.metadata, old.metadata, key);
    if (!sameValue(pod.spec, old.spec)) countGeneration(pod, old);
  },
  validateUpdate(pod, old) {
    if (Object.hasOwn(old.metadata.annotations ?? {}, MIRROR)) {
      return [forbiddenField('[]', 'static pods do not support ephemeral containers')];
    }
    return [
      ...validateAnyPod(pod, old),
      ...validateFixedAnnotations(pod, old),
      ...validateOnlyAdded(pod, old),
    ];
  },
};

function validateOnlyAdded(pod: Pod, old: Pod): FieldErrors {
  const containers = new Map(items(pod.spec.ephemeralContainers).map((one) => [one.name, one]));
  return items(old.spec.ephemeralContainers).flatMap((oldContainer) => {
    const { name } = oldContainer;
    const container = containers.get(name);
    if (container !== undefined && sameValue(container, oldContainer)) return [];
    const what = container === undefined ? 'removed' : 'changed';
    const difference =
      container === undefined ? '' : internalDiff('EphemeralContainer', oldContainer, container);
    const detail = `existing ephemeral containers ${goQuote(name)} may not be ${what}\n${difference}`;
    return [forbiddenField(FIELD, detail)];
  });
}
