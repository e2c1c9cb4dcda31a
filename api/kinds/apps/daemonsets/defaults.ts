/**
 * Defaults of a DaemonSet.
 *
 * In Kubernetes: SetDefaults_DaemonSet, pkg/apis/apps/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent, setIfZero, structAt } from '../../default-field.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

const REVISION_HISTORY_LIMIT = 10;

export function setDaemonSetDefaults(daemonSet: JsonObject): void {
  const spec = structAt(daemonSet, 'spec');
  const strategy = structAt(spec, 'updateStrategy');
  setIfZero(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] === 'RollingUpdate') {
    const rollingUpdate = structAt(strategy, 'rollingUpdate');
    setIfAbsent(rollingUpdate, 'maxUnavailable', 1);
    setIfAbsent(rollingUpdate, 'maxSurge', 0);
  }
  setIfAbsent(spec, 'revisionHistoryLimit', REVISION_HISTORY_LIMIT);
  setPodTemplateDefaults(spec);
}
