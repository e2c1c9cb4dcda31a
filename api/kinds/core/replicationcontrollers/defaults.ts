/**
 * Defaults of a ReplicationController. Its selector and its own labels are those of its template
 * when it says neither, which no later workload kind does.
 *
 * In Kubernetes: SetDefaults_ReplicationController, pkg/apis/core/v1.
 */
import type {
  ReplicationController,
  ReplicationControllerSpec,
} from '../../../generated/kinds/core-v1.ts';
import type { StringMap } from '../../../meta/object-meta.ts';
import { isEmpty } from '../../default-field.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

export function setReplicationControllerDefaults(controller: ReplicationController): void {
  const { spec } = controller;
  const { template } = spec;
  if (template !== undefined) {
    const { labels } = template.metadata;
    if (labels !== undefined) adoptLabels(controller, spec, labels);
    setPodTemplateDefaults({ template });
  }
  spec.replicas ??= 1;
}

function adoptLabels(
  controller: ReplicationController,
  spec: ReplicationControllerSpec,
  labels: StringMap,
): void {
  if (isEmpty(spec.selector)) spec.selector = { ...labels };
  const { metadata } = controller;
  if (isEmpty(metadata.labels)) metadata.labels = { ...labels };
}
