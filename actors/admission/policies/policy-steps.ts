/** What the two plug-ins that ask policies have in common: where, about what and with which parameters. */
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { Status } from '../../../api/meta/status.ts';
import { KindsServed } from '../../served-resources/served-kinds.ts';
import type { AdmissionAttributes, AdmissionPlace } from '../admission-attributes.ts';
import type { AdmissionStep } from '../admission-plugin.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { configuredStep } from '../matching/configured-step.ts';
import { ConfiguredPolicies, type PolicySort } from './configured-policies.ts';
import { invocationsOf, type Invocation, type ParametrizedPolicy } from './policy-invocations.ts';
import { isOutOfScope } from './policy-scope.ts';

export function policySteps<Policy extends ParametrizedPolicy>(
  world: AdmissionWorld,
  sort: PolicySort<Policy>,
  ask: (
    attributes: AdmissionAttributes,
    invocations: readonly Invocation<Policy>[],
  ) => MaybePromise<Status | undefined>,
): (place: AdmissionPlace) => AdmissionStep | undefined {
  const policies = new ConfiguredPolicies(world.followed, sort);
  const params = { objects: world.objects, kinds: new KindsServed(world.served) };
  return (place) =>
    isOutOfScope(place)
      ? undefined
      : configuredStep(policies.at(place), (attributes, placed) => {
          const invocations = invocationsOf(params, placed, attributes);
          if (!Array.isArray(invocations)) return invocations;
          return invocations.length === 0 ? undefined : ask(attributes, invocations);
        });
}

/** What went wrong, as figures tell it apart. In Kubernetes: ErrorType of either sort of policies. */
export function errorTypeOf(message: string) {
  if (message.startsWith('compilation')) return 'compile_error';
  const isSpent = message.startsWith('validation failed due to running out of cost budget');
  return isSpent ? 'out_of_budget' : 'invalid_error';
}
