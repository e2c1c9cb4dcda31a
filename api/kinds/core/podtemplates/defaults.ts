/**
 * Defaults of a PodTemplate.
 *
 * In Kubernetes: SetObjectDefaults_PodTemplate, pkg/apis/core/v1.
 */
import type { PodTemplate } from '../../../generated/kinds/core-v1.ts';
import { setPodTemplateDefaults as setTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

export function setPodTemplateDefaults(podTemplate: PodTemplate): void {
  setTemplateDefaults(podTemplate);
}
