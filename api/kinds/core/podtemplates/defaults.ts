/**
 * Defaults of a PodTemplate.
 *
 * In Kubernetes: SetObjectDefaults_PodTemplate, pkg/apis/core/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setPodTemplateDefaults as setTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

export function setPodTemplateDefaults(podTemplate: JsonObject): void {
  setTemplateDefaults(podTemplate);
}
