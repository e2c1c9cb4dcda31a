/**
 * ValidatingAdmissionPolicy: refuses, warns of or writes down what policies in the cluster do not
 * allow. Everything is evaluated here; nobody outside is asked.
 *
 * In Kubernetes: policy/validating/dispatcher.go, apiserver/pkg/admission/plugin.
 */
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { Status } from '../../../api/meta/status.ts';
import { refusedAt, type AdmissionAttributes } from '../admission-attributes.ts';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { AskedDecisions } from '../expressions/check-authority.ts';
import { KindsServed } from '../../resources/served-kinds.ts';
import { ConfiguredPolicies } from './configured-policies.ts';
import { judge } from './policy-judgement.ts';
import { PolicyOutcome, type Judged } from './policy-outcome.ts';
import { isOutOfScope } from './policy-scope.ts';
import { invocationsOf, shownObjects, type Invocation, type Shown } from './policy-invocations.ts';
import { compileValidatingPolicy, type ValidatingPolicy } from './validating-policy.ts';

export function validatingAdmissionPolicy(world: AdmissionWorld): AdmissionPlugin {
  const policies = new ConfiguredPolicies(world.followed, {
    policies: 'validatingadmissionpolicies',
    bindings: 'validatingadmissionpolicybindings',
    compile: compileValidatingPolicy,
  });
  const params = { objects: world.objects, kinds: new KindsServed(world.served) };
  return {
    name: 'ValidatingAdmissionPolicy',
    validatesAt(place) {
      if (isOutOfScope(place)) return undefined;
      const policiesAt = policies.at(place);
      return (attributes) => {
        const placed = policiesAt();
        if (placed.length === 0) return undefined;
        const invocations = invocationsOf(params, placed, attributes);
        if (!Array.isArray(invocations)) return invocations;
        if (invocations.length === 0) return undefined;
        return judged(world, attributes, invocations);
      };
    },
  };
}

function judged(
  { authorizer }: AdmissionWorld,
  attributes: AdmissionAttributes,
  invocations: readonly Invocation<ValidatingPolicy>[],
): MaybePromise<Status | undefined> {
  return andThen(shownObjects(attributes, invocations), (shown) => {
    const decisions = new AskedDecisions(authorizer);
    const all = decisions.settled(() =>
      invocations.map((one) => judgedOne(attributes, one, { shown, decisions })),
    );
    return andThen(all, (results) => {
      const outcome = new PolicyOutcome(attributes);
      for (const result of results) outcome.add(result);
      outcome.publish();
      const { denial } = outcome;
      return denial === undefined ? undefined : refusal(attributes, denial);
    });
  });
}

interface JudgingParts {
  readonly shown: Shown;
  readonly decisions: AskedDecisions;
}

function judgedOne(
  attributes: AdmissionAttributes,
  invocation: Invocation<ValidatingPolicy>,
  { shown, decisions }: JudgingParts,
): Judged {
  if (invocation.kind === 'problem') {
    const { policy, binding, message } = invocation;
    return { policy, binding, problem: message };
  }
  const { policy, binding } = invocation;
  const versioned = shown.get(invocation.target);
  if (versioned === undefined || !versioned.ok) {
    const why = `failed to convert object version: ${versioned?.message ?? ''}`;
    return { policy, binding, problem: `failed to configure binding: ${why}` };
  }
  const { namespace, params } = invocation;
  const judgement = judge(policy, {
    ...{ attributes, versioned: versioned.versioned, decisions, namespace, params },
    named: policy.variables,
  });
  return { policy, binding, judgement };
}

const CODES: ReadonlyMap<string, number> = new Map([
  ['Forbidden', 403],
  ['Unauthorized', 401],
  ['RequestEntityTooLarge', 413],
]);
const UNPROCESSABLE = 422;

function refusal(
  attributes: AdmissionAttributes,
  { message, reason }: NonNullable<PolicyOutcome['denial']>,
): Status {
  const status = refusedAt(attributes, message);
  const said = reason === '' ? 'Invalid' : reason;
  return {
    ...status,
    reason: said,
    details: { ...status.details, causes: [{ message }] },
    code: CODES.get(said) ?? UNPROCESSABLE,
  };
}
