/**
 * Defaults of a ReplicationController. Its selector and its own labels are those of its template
 * when it says neither, which no later workload kind does.
 *
 * In Kubernetes: SetDefaults_ReplicationController, pkg/apis/core/v1.
 */
import { isJsonObject, type JsonObject, objectAt } from '../../../json/json.ts';
import { isEmpty, setIfAbsent, structAt } from '../../default-field.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

export function setReplicationControllerDefaults(controller: JsonObject): void {
  const spec = structAt(controller, 'spec');
  const template = spec['template'];
  if (isJsonObject(template)) {
    const labels = objectAt(objectAt(template, 'metadata'), 'labels');
    if (labels !== undefined) adoptLabels(controller, spec, labels);
    setPodTemplateDefaults(spec);
  }
  setIfAbsent(spec, 'replicas', 1);
}

function adoptLabels(controller: JsonObject, spec: JsonObject, labels: JsonObject): void {
  if (isEmpty(spec['selector'])) spec['selector'] = { ...labels };
  const metadata = structAt(controller, 'metadata');
  if (isEmpty(metadata['labels'])) metadata['labels'] = { ...labels };
}
