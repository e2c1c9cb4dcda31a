/**
 * AlwaysPullImages: images are pulled each time, so that no pod runs a private image that another
 * else has pulled to the node.
 *
 * In Kubernetes: plugin/pkg/admission/alwayspullimages.
 */
import { objectAt, stringAt, type JsonObject } from '../../../../api/json/json.ts';
import { unclassifiedFailure } from '../../../../api/meta/status.ts';
import { formatFieldError, notSupported } from '../../../../api/field/field-errors.ts';
import { objectsAt, specOf } from '../../../../api/kinds/rules/value-validation.ts';
import { type AdmissionAttributes, refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, TwoPhasePlugin } from '../../admission-plugin.ts';
import { aggregatedText } from '../../../authorization/aggregated-errors.ts';
import { isItself, PODS } from '../../places.ts';
import {
  CONTAINER_LISTS,
  containersOf,
  specToFill,
} from '../../../../api/kinds/pod-spec/pod-parts.ts';

const ALWAYS = 'Always';

export function alwaysPullImages(): TwoPhasePlugin {
  const at = (step: AdmissionStep): AdmissionStep => {
    return (attributes) => (hasNewImages(attributes) ? step(attributes) : undefined);
  };
  const [mutates, validates] = [at(mutate), at(validate)];
  return {
    name: 'AlwaysPullImages',
    mutatesAt: (place) => (isItself(place, PODS, 'CREATE', 'UPDATE') ? mutates : undefined),
    validatesAt: (place) => (isItself(place, PODS, 'CREATE', 'UPDATE') ? validates : undefined),
  };
}

/** A pod that was there before keeps its policy, as long as it keeps to its images. */
function hasNewImages({ operation, object, oldObject }: AdmissionAttributes): boolean {
  if (operation !== 'UPDATE' || object === undefined || oldObject === undefined) return true;
  const old = new Set(containersOf(specOf(oldObject)).map((one) => stringAt(one, 'image')));
  return containersOf(specOf(object)).some((one) => !old.has(stringAt(one, 'image')));
}

const mutate: AdmissionStep = ({ object }) => {
  if (object === undefined) return undefined;
  const spec = specToFill(object);
  for (const container of containersOf(spec)) container['imagePullPolicy'] = ALWAYS;
  for (const volume of objectsAt(spec, 'volumes')) {
    const image = objectAt(volume, 'image');
    if (image !== undefined) image['pullPolicy'] = ALWAYS;
  }
  return undefined;
};

const validate: AdmissionStep = (attributes) => {
  const { object } = attributes;
  if (object === undefined) return undefined;
  const problems = problemsOf(specOf(object));
  if (problems.length === 0) return undefined;
  const refused = problems.map((problem) => refusedAt(attributes, problem).message ?? '');
  // What upstream joins here is no refusal any more, but an unclassified error.
  return unclassifiedFailure(aggregatedText(refused));
};

function problemsOf(spec: JsonObject): string[] {
  const problems: string[] = [];
  const check = (field: string, policy: JsonObject[string]): void => {
    if (policy === ALWAYS) return;
    problems.push(formatFieldError(notSupported(field, policy ?? '', [ALWAYS])));
  };
  for (const list of CONTAINER_LISTS) {
    for (const [index, container] of objectsAt(spec, list).entries()) {
      check(`spec.${list}[${String(index)}].imagePullPolicy`, container['imagePullPolicy']);
    }
  }
  for (const [index, volume] of objectsAt(spec, 'volumes').entries()) {
    const image = objectAt(volume, 'image');
    if (image !== undefined)
      check(`spec.volumes[${String(index)}].image.pullPolicy`, image['pullPolicy']);
  }
  return problems;
}
