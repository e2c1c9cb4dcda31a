/**
 * Defaults of a StatefulSet. A partition is filled in only for who named no strategy or wrote
 * `rollingUpdate` out: `type: RollingUpdate` alone stays alone.
 *
 * In Kubernetes: SetDefaults_StatefulSet, pkg/apis/apps/v1.
 */
import { isJsonObject, type JsonObject } from '../../../json/json.ts';
import { forEachIn, isZero, setIfAbsent, setIfZero, structAt } from '../../default-field.ts';
import { setClaimDefaults } from '../../pod-spec/volumes/claim-spec-defaults.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

const REVISION_HISTORY_LIMIT = 10;

export function setStatefulSetDefaults(statefulSet: JsonObject): void {
  const spec = structAt(statefulSet, 'spec');
  setIfZero(spec, 'podManagementPolicy', 'OrderedReady');
  setUpdateStrategyDefaults(structAt(spec, 'updateStrategy'));
  const retention = structAt(spec, 'persistentVolumeClaimRetentionPolicy');
  setIfZero(retention, 'whenDeleted', 'Retain');
  setIfZero(retention, 'whenScaled', 'Retain');
  setIfAbsent(spec, 'replicas', 1);
  setIfAbsent(spec, 'revisionHistoryLimit', REVISION_HISTORY_LIMIT);
  setPodTemplateDefaults(spec);
  forEachIn(spec, 'volumeClaimTemplates', setClaimDefaults);
}

function setUpdateStrategyDefaults(strategy: JsonObject): void {
  if (isZero(strategy['type'])) {
    strategy['type'] = 'RollingUpdate';
    structAt(strategy, 'rollingUpdate');
  }
  const rollingUpdate = strategy['rollingUpdate'];
  if (strategy['type'] !== 'RollingUpdate' || !isJsonObject(rollingUpdate)) return;
  setIfAbsent(rollingUpdate, 'partition', 0);
}
