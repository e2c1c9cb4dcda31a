/**
 * Defaults of a StatefulSet. A partition is filled in only for who named no strategy or wrote
 * `rollingUpdate` out: `type: RollingUpdate` alone stays alone.
 *
 * In Kubernetes: SetDefaults_StatefulSet, pkg/apis/apps/v1.
 */
import { forEachItem } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type { StatefulSet, StatefulSetUpdateStrategy } from '../../../generated/kinds/apps-v1.ts';
import { isJsonObject } from '../../../json/json.ts';
import { isZero } from '../../default-field.ts';
import { setClaimDefaults } from '../../pod-spec/volumes/claim-spec-defaults.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

const REVISION_HISTORY_LIMIT = 10;

export function setStatefulSetDefaults(statefulSet: StatefulSet): void {
  const spec = statefulSet.spec;
  spec.podManagementPolicy ||= 'OrderedReady';
  setUpdateStrategyDefaults(spec.updateStrategy);
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ||= 'Retain';
  retention.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= REVISION_HISTORY_LIMIT;
  setPodTemplateDefaults(spec);
  forEachItem(items(spec.volumeClaimTemplates), setClaimDefaults);
}

function setUpdateStrategyDefaults(strategy: StatefulSetUpdateStrategy): void {
  if (isZero(strategy.type)) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  const rollingUpdate = strategy.rollingUpdate;
  if (strategy.type !== 'RollingUpdate' || !isJsonObject(rollingUpdate)) return;
  rollingUpdate.partition ??= 0;
}
