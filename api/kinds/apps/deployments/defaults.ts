/**
 * Defaults of a Deployment.
 *
 * In Kubernetes: SetDefaults_Deployment, pkg/apis/apps/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent, setIfZero, structAt } from '../../default-field.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

const REVISION_HISTORY_LIMIT = 10;
const PROGRESS_DEADLINE_SECONDS = 600;

export function setDeploymentDefaults(deployment: JsonObject): void {
  const spec = structAt(deployment, 'spec');
  setIfAbsent(spec, 'replicas', 1);
  const strategy = structAt(spec, 'strategy');
  setIfZero(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] === 'RollingUpdate') {
    const rollingUpdate = structAt(strategy, 'rollingUpdate');
    setIfAbsent(rollingUpdate, 'maxUnavailable', '25%');
    setIfAbsent(rollingUpdate, 'maxSurge', '25%');
  }
  setIfAbsent(spec, 'revisionHistoryLimit', REVISION_HISTORY_LIMIT);
  setIfAbsent(spec, 'progressDeadlineSeconds', PROGRESS_DEADLINE_SECONDS);
  setPodTemplateDefaults(spec);
}
