/**
 * Stateful sets: pods with a name and storage of their own. A partition is filled in only where a client
 * named no strategy or wrote `rollingUpdate` out: `type: RollingUpdate` alone stays alone.
 *
 * In Kubernetes: registry/apps/statefulset; SetDefaults_StatefulSet, pkg/apis/apps/v1.
 */
import { items } from '../../../json/go-values.ts';
import type { StatefulSet, StatefulSetUpdateStrategy } from '../../../generated/kinds/apps-v1.ts';
import { nameIsDnsLabel } from '../../../meta/names.ts';
import { defineKind } from '../../kind.ts';
import { prepareTemplate } from '../../pod-spec/pod-spec-preparation.ts';
import { indexPath } from '../../../field/field-path.ts';
import { claimSpecWarnings } from '../../rules/resource-names.ts';
import { specChanged } from '../../strategy-of.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { workloadWarnings } from '../../pod-spec/pod-template-validation.ts';
import {
  validateStatefulSet,
  validateStatefulSetChange,
  validateStatefulSetStatus,
} from './validation.ts';
import { forEachItem } from '../../../json/work-in-slices.ts';
import { isJsonObject } from '../../../json/json.ts';
import { isZero } from '../../default-field.ts';
import { setClaimDefaults } from '../../pod-spec/volumes/volume-defaults.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

const ofTemplate = workloadWarnings('spec.template', ({ spec }: StatefulSet) => spec.template);

/** The kind StatefulSet. */
export const statefulSets = defineKind('apps/v1/statefulsets', {
  hasScale: true,
  rules: {
    validateName: nameIsDnsLabel,
    isNewGeneration: specChanged,
    status: {
      initial: () => ({ replicas: 0, availableReplicas: 0 }),
      validateUpdate: validateStatefulSetStatus,
    },
    prepareForCreate(statefulSet, _requester, isOn) {
      prepareTemplate(statefulSet, undefined, isOn);
      dropMaxUnavailable(statefulSet, undefined);
    },
    prepareForUpdate(statefulSet, old, isOn) {
      prepareTemplate(statefulSet, old, isOn);
      dropMaxUnavailable(statefulSet, old);
    },
    validate: validateStatefulSet,
    validateUpdate: validateStatefulSetChange,
    warningsOnCreate: (statefulSet) => [
      ...ofTemplate.onCreate(statefulSet),
      ...claimWarnings(statefulSet, ''),
      ...historyWarnings(statefulSet),
    ],
    warningsOnUpdate: (statefulSet, old) => [
      ...ofTemplate.onUpdate(statefulSet, old),
      // As upstream spells it.
      ...claimWarnings(statefulSet, '.Spec'),
      ...historyWarnings(statefulSet),
    ],
  },
});

/** The feature is off by default; the field stays where it already is. */
function dropMaxUnavailable(statefulSet: StatefulSet, old: StatefulSet | undefined): void {
  const spec = statefulSet.spec;
  const updateStrategy = spec.updateStrategy;
  const rollingUpdate = updateStrategy.rollingUpdate;
  if (isMissing(rollingUpdate?.maxUnavailable)) return;
  const oldStrategy = old === undefined ? undefined : old.spec.updateStrategy;
  if (!isMissing(oldStrategy?.rollingUpdate?.maxUnavailable)) return;
  const { maxUnavailable: _maxUnavailable, ...rest } = rollingUpdate ?? {};
  statefulSet.spec = { ...spec, updateStrategy: { ...updateStrategy, rollingUpdate: rest } };
}

function claimWarnings(statefulSet: StatefulSet, within: string): readonly string[] {
  return items(statefulSet.spec.volumeClaimTemplates).flatMap((claim, index) =>
    claimSpecWarnings(`${indexPath('spec.volumeClaimTemplates', index)}${within}`, claim.spec),
  );
}

function historyWarnings(statefulSet: StatefulSet): readonly string[] {
  return (statefulSet.spec.revisionHistoryLimit ?? 0) < 0
    ? [
        'spec.revisionHistoryLimit: a negative value retains all historical revisions; ' +
          'a value >= 0 is recommended',
      ]
    : [];
}

const REVISION_HISTORY_LIMIT = 10;

/** SetDefaults_StatefulSet, with the defaults of the pods in the template and of the claims. */
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
