/**
 * Daemon sets: a pod on every node. They count changes of their template apart, in an annotation
 * that clients cannot set.
 *
 * In Kubernetes: registry/apps/daemonset; SetDefaults_DaemonSet, pkg/apis/apps/v1.
 */
import type { DaemonSet } from '../../../generated/kinds/apps-v1.ts';
import { defineKind } from '../../kind.ts';
import { prepareTemplate } from '../../pod-spec/pod-spec-preparation.ts';
import { sameValue } from '../../rules/same-value.ts';
import { specChanged } from '../../strategy-of.ts';
import {
  validateSelectorChange,
  workloadWarnings,
} from '../../pod-spec/pod-template-validation.ts';
import { TEMPLATE_GENERATION } from '../settled-form.ts';
import { validateDaemonSet, validateDaemonSetStatus } from './validation.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

const ofTemplate = workloadWarnings('spec.template', ({ spec }: DaemonSet) => spec.template);

/** The kind DaemonSet; it also counts the changes of its template. */
export const daemonSets = defineKind('apps/v1/daemonsets', {
  rules: {
    isNewGeneration: specChanged,
    status: {
      initial: () => ({
        currentNumberScheduled: 0,
        numberMisscheduled: 0,
        desiredNumberScheduled: 0,
        numberReady: 0,
      }),
      prepareForUpdate: (daemonSet, old) =>
        setTemplateGeneration(daemonSet, templateGenerationOf(old)),
      validateUpdate: validateDaemonSetStatus,
    },
    prepareForCreate(daemonSet) {
      prepareTemplate(daemonSet);
      setTemplateGeneration(daemonSet, Math.max(templateGenerationOf(daemonSet), 1));
    },
    prepareForUpdate(daemonSet, old) {
      prepareTemplate(daemonSet, old);
      const isSame = sameValue(daemonSet.spec.template, old.spec.template);
      setTemplateGeneration(daemonSet, templateGenerationOf(old) + (isSame ? 0 : 1));
    },
    warningsOnCreate: ofTemplate.onCreate,
    warningsOnUpdate: (daemonSet, old) =>
      templateGenerationOf(daemonSet) === templateGenerationOf(old)
        ? []
        : ofTemplate.onCreate(daemonSet),
    validate: (daemonSet) => validateDaemonSet(daemonSet),
    validateUpdate: (daemonSet, old) => [
      ...validateSelectorChange(daemonSet, old),
      ...validateDaemonSet(daemonSet, old),
    ],
  },
});

function templateGenerationOf(daemonSet: DaemonSet): number {
  const text = daemonSet.metadata.annotations?.[TEMPLATE_GENERATION] ?? '';
  return /^-?\d{1,15}$/.test(text) ? Number(text) : 0;
}

function setTemplateGeneration(daemonSet: DaemonSet, generation: number): void {
  const { annotations } = daemonSet.metadata;
  daemonSet.metadata.annotations = { ...annotations, [TEMPLATE_GENERATION]: String(generation) };
}

const REVISION_HISTORY_LIMIT = 10;

/** SetDefaults_DaemonSet, with the defaults of the pods in the template. */
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
