/**
 * AlwaysPullImages: images are pulled each time, so that no pod runs a private image that another
 * else has pulled to the node.
 *
 * In Kubernetes: plugin/pkg/admission/alwayspullimages.
 */
import { items } from '../../../../api/json/go-values.ts';
import type { Pod, PodSpec } from '../../../../api/generated/kinds/core-v1.ts';
import { type AttributesOf, stepFor } from '../../kind-steps.ts';
import { type Status, unclassifiedFailure } from '../../../../api/meta/status.ts';
import { formatFieldError, notSupported } from '../../../../api/field/field-errors.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { StepAt, TwoPhasePlugin } from '../../admission-plugin.ts';
import { aggregatedText } from '../../../authorization/authorizer.ts';
import { CONTAINER_LISTS, containersOf } from '../../../../api/kinds/pod-spec/pod-parts.ts';

const ALWAYS = 'Always';

type Write = AttributesOf<Pod, 'CREATE' | 'UPDATE'>;

export function alwaysPullImages(): TwoPhasePlugin {
  const at = (step: (write: Write) => Status | undefined): StepAt =>
    stepFor('v1/pods', ['CREATE', 'UPDATE'], (write) =>
      hasNewImages(write) ? step(write) : undefined,
    );
  return {
    name: 'AlwaysPullImages',
    mutatesAt: at(mutate),
    validatesAt: at(validate),
  };
}

/** A pod that was there before keeps its policy, as long as it keeps to its images. */
function hasNewImages({ object, oldObject }: Write): boolean {
  if (oldObject === undefined) return true;
  const old = new Set(containersOf(oldObject.spec).map(({ image = '' }) => image));
  return containersOf(object.spec).some(({ image = '' }) => !old.has(image));
}

function mutate({ object: { spec } }: Write): undefined {
  for (const container of containersOf(spec)) container.imagePullPolicy = ALWAYS;
  for (const { image } of items(spec.volumes)) {
    if (image !== undefined) image.pullPolicy = ALWAYS;
  }
}

function validate(attributes: Write): Status | undefined {
  const problems = problemsOf(attributes.object.spec);
  if (problems.length === 0) return undefined;
  const refused = problems.map((problem) => refusedAt(attributes, problem).message ?? '');
  // What upstream joins here is no refusal any more, but an unclassified error.
  return unclassifiedFailure(aggregatedText(refused));
}

function problemsOf(spec: PodSpec): string[] {
  const problems: string[] = [];
  const check = (field: string, policy: string | undefined): void => {
    if (policy === ALWAYS) return;
    problems.push(formatFieldError(notSupported(field, policy ?? '', [ALWAYS])));
  };
  for (const list of CONTAINER_LISTS) {
    for (const [index, container] of items<{ imagePullPolicy?: string }>(spec[list]).entries()) {
      check(`spec.${list}[${String(index)}].imagePullPolicy`, container.imagePullPolicy);
    }
  }
  for (const [index, { image }] of items(spec.volumes).entries()) {
    if (image !== undefined)
      check(`spec.volumes[${String(index)}].image.pullPolicy`, image.pullPolicy);
  }
  return problems;
}
