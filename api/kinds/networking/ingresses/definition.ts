/** Ingresses: hosts and paths of the world outside. In Kubernetes: registry/networking/ingress. */
import type { Ingress } from '../../../generated/kinds/networking-v1.ts';
import { defineKind } from '../../kind.ts';
import { specChanged } from '../../strategy-of.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { ingressStatusWarnings, validateIngressStatus } from './status.ts';
import { validateIngressChange, validateNewIngress } from './validation.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

export const ingresses = defineKind('networking.k8s.io/v1/ingresses', {
  rules: {
    isNewGeneration: specChanged,
    status: {
      initial: () => ({ loadBalancer: {} }),
      validateUpdate: validateIngressStatus,
      warningsOnUpdate: ingressStatusWarnings,
    },
    validate: validateNewIngress,
    validateUpdate: validateIngressChange,
    warningsOnCreate: classWarnings,
  },
});

function classWarnings(ingress: Ingress): readonly string[] {
  const hasAnnotation = Object.hasOwn(ingress.metadata.annotations ?? {}, CLASS_ANNOTATION);
  if (!hasAnnotation || !isMissing(ingress.spec.ingressClassName)) return [];
  return [
    `annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`,
  ];
}
