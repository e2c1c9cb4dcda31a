/**
 * Defaults of a Deployment.
 *
 * In Kubernetes: SetDefaults_Deployment, pkg/apis/apps/v1.
 */
import type { Deployment } from '../../../generated/kinds/apps-v1.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

const REVISION_HISTORY_LIMIT = 10;
const PROGRESS_DEADLINE_SECONDS = 600;

export function setDeploymentDefaults(deployment: Deployment): void {
  const spec = deployment.spec;
  spec.replicas ??= 1;
  const strategy = spec.strategy;
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= '25%';
    rollingUpdate.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= REVISION_HISTORY_LIMIT;
  spec.progressDeadlineSeconds ??= PROGRESS_DEADLINE_SECONDS;
  setPodTemplateDefaults(spec);
}
