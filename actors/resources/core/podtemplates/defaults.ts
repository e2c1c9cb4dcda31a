/**
 * Defaults of a PodTemplate.
 *
 * In Kubernetes: SetObjectDefaults_PodTemplate, pkg/apis/core/v1.
 */
import type { JsonObject } from '../../../../api/meta/json.ts';
import { setPodTemplateDefaults as setTemplateDefaults } from '../pod-spec-defaults.ts';

export function setPodTemplateDefaults(podTemplate: JsonObject): void {
  setTemplateDefaults(podTemplate);
}
