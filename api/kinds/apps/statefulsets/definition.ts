/** Stateful sets: pods with a name and storage of their own. In Kubernetes: registry/apps/statefulset. */
import { nameIsDnsLabel } from '../../../meta/names.ts';
import { numberAt, objectAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { defineKind } from '../../kind.ts';
import { prepareTemplate } from '../../pod-spec/pod-spec-preparation.ts';
import { indexPath } from '../../../field/field-path.ts';
import { claimSpecWarnings } from '../../rules/fractional-bytes.ts';
import { specChanged } from '../../strategy-of.ts';
import { isMissing, objectsAt, specOf } from '../../rules/value-validation.ts';
import { workloadWarnings } from '../../pod-spec/workload-warnings.ts';
import {
  validateStatefulSet,
  validateStatefulSetChange,
  validateStatefulSetStatus,
} from './validation.ts';

const ofTemplate = workloadWarnings(['spec', 'template']);

export const statefulSets = defineKind('apps/v1/statefulsets', {
  hasScale: true,
  rules: {
    validateName: nameIsDnsLabel,
    isNewGeneration: specChanged,
    status: {
      initial: () => ({ replicas: 0, availableReplicas: 0 }),
      validateUpdate: validateStatefulSetStatus,
    },
    prepareForCreate(statefulSet) {
      prepareTemplate(statefulSet);
      dropMaxUnavailable(statefulSet, undefined);
    },
    prepareForUpdate(statefulSet, old) {
      prepareTemplate(statefulSet, old);
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
function dropMaxUnavailable(statefulSet: KubeObject, old: KubeObject | undefined): void {
  const spec = specOf(statefulSet);
  const updateStrategy = objectAt(spec, 'updateStrategy');
  const rollingUpdate = objectAt(updateStrategy, 'rollingUpdate');
  if (isMissing(rollingUpdate?.['maxUnavailable'])) return;
  const oldStrategy = old === undefined ? undefined : objectAt(specOf(old), 'updateStrategy');
  if (!isMissing(objectAt(oldStrategy, 'rollingUpdate')?.['maxUnavailable'])) return;
  const { maxUnavailable: _maxUnavailable, ...rest } = rollingUpdate ?? {};
  statefulSet['spec'] = { ...spec, updateStrategy: { ...updateStrategy, rollingUpdate: rest } };
}

function claimWarnings(statefulSet: KubeObject, within: string): readonly string[] {
  return objectsAt(specOf(statefulSet), 'volumeClaimTemplates').flatMap((claim, index) =>
    claimSpecWarnings(
      `${indexPath('spec.volumeClaimTemplates', index)}${within}`,
      objectAt(claim, 'spec'),
    ),
  );
}

function historyWarnings(statefulSet: KubeObject): readonly string[] {
  return (numberAt(specOf(statefulSet), 'revisionHistoryLimit') ?? 0) < 0
    ? [
        'spec.revisionHistoryLimit: a negative value retains all historical revisions; ' +
          'a value >= 0 is recommended',
      ]
    : [];
}
