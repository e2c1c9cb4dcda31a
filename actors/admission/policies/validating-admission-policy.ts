/**
 * ValidatingAdmissionPolicy: refuses, warns of or writes down what policies in the cluster do not
 * allow. Everything is evaluated here; no other server is asked.
 *
 * In Kubernetes: policy/validating/dispatcher.go, apiserver/pkg/admission/plugin.
 */
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { Status } from '../../../api/meta/status.ts';
import { type AdmissionAttributes, refusedAt } from '../admission-attributes.ts';
import type { ValidatingPlugin } from '../admission-plugin.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import type { PluginConfiguration } from '../plugin-configuration.ts';
import { checkPolicyConfiguration } from '../webhooks/webhook-configuration.ts';
import type { AdmissionMeters } from '../admission-meters.ts';
import { AskedDecisions } from '../expressions/check-authority.ts';
import { noteConditions } from '../expressions/match-conditions.ts';
import { judge } from './policy-judgement.ts';
import { PolicyOutcome, type Judged } from './policy-outcome.ts';
import { type Invocation, policySteps, type Shown, shownObjects } from './policy-invocations.ts';
import { compileValidatingPolicy, type ValidatingPolicy } from './compiled-policies.ts';

/** @throws PluginConfigurationError where it is configured in a way that is not served. */
export function validatingAdmissionPolicy(
  world: AdmissionWorld,
  configuration?: PluginConfiguration,
): ValidatingPlugin {
  checkPolicyConfiguration('ValidatingAdmissionPolicy', configuration);
  const sort = {
    policies: 'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    bindings: 'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    compile: compileValidatingPolicy,
  } as const;
  const validatesAt = policySteps(world, sort, (attributes, invocations) =>
    judged(world, attributes, invocations),
  );
  return { name: 'ValidatingAdmissionPolicy', validatesAt };
}

function judged(
  { authorizer, meters }: AdmissionWorld,
  attributes: AdmissionAttributes,
  invocations: readonly Invocation<ValidatingPolicy>[],
): MaybePromise<Status | undefined> {
  return andThen(shownObjects(attributes, invocations), (shown) => {
    const decisions = new AskedDecisions(authorizer);
    const all = decisions.settled(() =>
      invocations.map((one) => judgedOne(attributes, one, { shown, decisions, meters })),
    );
    return andThen(all, (results) => {
      const outcome = new PolicyOutcome(attributes, meters.policies);
      for (const result of results) {
        noteConditionsOf(result, attributes, meters);
        outcome.add(result);
      }
      outcome.publish();
      const { denial } = outcome;
      return denial === undefined ? undefined : refusal(attributes, denial);
    });
  });
}

interface JudgingParts {
  readonly shown: Shown;
  readonly decisions: AskedDecisions;
  readonly meters: AdmissionMeters;
}

function judgedOne(
  attributes: AdmissionAttributes,
  invocation: Invocation<ValidatingPolicy>,
  { shown, decisions, meters }: JudgingParts,
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
  const surroundings = { attributes, versioned: versioned.versioned, decisions, namespace, params };
  const parts = { ...surroundings, named: policy.variables };
  const judgement = judge(policy, parts, () => meters.now());
  return { policy, binding, judgement };
}

function noteConditionsOf(
  { policy, judgement }: Judged,
  { operation }: AdmissionAttributes,
  meters: AdmissionMeters,
): void {
  if (judgement?.met === undefined) return;
  const owner = { name: policy.name, kind: 'policy', type: 'validate', operation } as const;
  noteConditions(meters, owner, judgement.met);
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
