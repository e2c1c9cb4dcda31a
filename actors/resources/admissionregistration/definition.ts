/**
 * Who is asked before an object is stored. What stands inside these kinds is not looked at yet.
 *
 * In Kubernetes: registry/admissionregistration.
 */
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { Kind } from '../kind.ts';
import { sameValue } from '../same-value.ts';
import {
  METADATA_KEPT_BY_STATUS,
  emptyStatus,
  specChanged,
  strategyOf,
  type KindRules,
} from '../strategy-of.ts';

const admission = { group: 'admissionregistration.k8s.io', version: 'v1' };
const conditional: KindRules = { allowsUnconditionalUpdate: false };

export const mutatingWebhookConfigurations: Kind = {
  ...admission,
  resource: 'mutatingwebhookconfigurations',
  strategy: strategyOf({ ...conditional, isNewGeneration: webhooksChanged }),
};

export const validatingWebhookConfigurations: Kind = {
  ...admission,
  resource: 'validatingwebhookconfigurations',
  strategy: strategyOf({ ...conditional, isNewGeneration: webhooksChanged }),
};

export const validatingAdmissionPolicies: Kind = {
  ...admission,
  resource: 'validatingadmissionpolicies',
  strategy: strategyOf({
    ...conditional,
    isNewGeneration: specChanged,
    status: { initial: emptyStatus, keeps: METADATA_KEPT_BY_STATUS },
  }),
};

export const validatingAdmissionPolicyBindings: Kind = {
  ...admission,
  resource: 'validatingadmissionpolicybindings',
  strategy: strategyOf({ ...conditional, isNewGeneration: specChanged }),
};

export const mutatingAdmissionPolicies: Kind = {
  ...admission,
  resource: 'mutatingadmissionpolicies',
  strategy: strategyOf({ ...conditional, isNewGeneration: specChanged }),
};

export const mutatingAdmissionPolicyBindings: Kind = {
  ...admission,
  resource: 'mutatingadmissionpolicybindings',
  strategy: strategyOf({ ...conditional, isNewGeneration: specChanged }),
};

function webhooksChanged(configuration: KubeObject, old: KubeObject): boolean {
  return !sameValue(configuration['webhooks'], old['webhooks']);
}
