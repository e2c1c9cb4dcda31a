/** Stateful sets: pods with a name and storage of their own. In Kubernetes: registry/apps/statefulset. */
import { nameIsDnsLabel } from '../../../../api/meta/names.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import type { Kind } from '../../kind.ts';
import { pairTemplateAliases } from '../../pod-spec-aliases.ts';
import { specChanged, strategyOf } from '../../strategy-of.ts';
import { numberAt, specOf } from '../../value-validation.ts';
import {
  validateStatefulSet,
  validateStatefulSetChange,
  validateStatefulSetStatus,
} from './validation.ts';

export const statefulSets: Kind = {
  group: 'apps',
  version: 'v1',
  resource: 'statefulsets',
  hasScale: true,
  strategy: strategyOf({
    validateName: nameIsDnsLabel,
    isNewGeneration: specChanged,
    status: {
      initial: () => ({ replicas: 0, availableReplicas: 0 }),
      validateUpdate: validateStatefulSetStatus,
    },
    prepareForCreate: pairTemplateAliases,
    prepareForUpdate: pairTemplateAliases,
    validate: validateStatefulSet,
    validateUpdate: validateStatefulSetChange,
    warningsOnCreate: historyWarnings,
    warningsOnUpdate: historyWarnings,
  }),
};

function historyWarnings(statefulSet: KubeObject): readonly string[] {
  return (numberAt(specOf(statefulSet), 'revisionHistoryLimit') ?? 0) < 0
    ? [
        'spec.revisionHistoryLimit: a negative value retains all historical revisions; ' +
          'a value >= 0 is recommended',
      ]
    : [];
}
