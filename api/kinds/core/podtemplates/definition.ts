/**
 * Templates of pods that stand alone.
 *
 * In Kubernetes: registry/core/podtemplate; SetObjectDefaults_PodTemplate, pkg/apis/core/v1.
 */
import type { PodTemplate } from '../../../generated/kinds/core-v1.ts';
import { defineKind } from '../../kind.ts';
import { preparedTemplate } from '../../pod-spec/pod-spec-preparation.ts';
import { validatePodTemplate, workloadWarnings } from '../../pod-spec/pod-template-validation.ts';
import type { IsFeatureOn } from '../../kind-features.ts';
import { sameValue } from '../../rules/same-value.ts';
import { setPodTemplateDefaults as setTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

const ofTemplate = workloadWarnings('template', ({ template }: PodTemplate) => template);

/** The kind PodTemplate. */
export const podTemplates = defineKind('v1/podtemplates', {
  rules: {
    returnsDeletedObject: true,
    isNewGeneration: (object, old) => !sameValue(object.template, old.template),
    warningsOnCreate: ofTemplate.onCreate,
    warningsOnUpdate: ofTemplate.onUpdate,
    prepareForCreate: (object, _requester, isOn) => prepareOwnTemplate(object, undefined, isOn),
    prepareForUpdate: prepareOwnTemplate,
    validate: (object) => validatePodTemplate('template', object),
    validateUpdate: (object, old) => validatePodTemplate('template', object, old),
  },
});

function prepareOwnTemplate(
  object: PodTemplate,
  old: PodTemplate | undefined,
  isOn?: IsFeatureOn,
): void {
  object.template = preparedTemplate(object.template, old?.template, isOn);
}

/** SetObjectDefaults_PodTemplate: the defaults of its pods. */
export function setPodTemplateDefaults(podTemplate: PodTemplate): void {
  setTemplateDefaults(podTemplate);
}
