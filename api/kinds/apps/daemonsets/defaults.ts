/**
 * Defaults of a DaemonSet.
 *
 * In Kubernetes: SetDefaults_DaemonSet, pkg/apis/apps/v1.
 */
import type { DaemonSet } from '../../../generated/kinds/apps-v1.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

const REVISION_HISTORY_LIMIT = 10;

export function setDaemonSetDefaults(daemonSet: DaemonSet): void {
  const spec = daemonSet.spec;
  const strategy = spec.updateStrategy;
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= 1;
    rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= REVISION_HISTORY_LIMIT;
  setPodTemplateDefaults(spec);
}
