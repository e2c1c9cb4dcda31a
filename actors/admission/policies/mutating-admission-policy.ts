/**
 * MutatingAdmissionPolicy: changes what is going to be written as policies in the cluster say, one
 * behind the other, each seeing what those before it have made of it.
 *
 * In Kubernetes: policy/mutating/dispatcher.go, apiserver/pkg/admission/plugin.
 */
import { internalError, type Status } from '../../../api/meta/status.ts';
import { stringAt, objectAt } from '../../../api/json/json.ts';
import { isEqualJson } from '../../../api/json/json-tree.ts';
import { type AdmissionAttributes, refusedAt } from '../admission-attributes.ts';
import type { MutatingPlugin } from '../admission-plugin.ts';
import type { AdmissionMeters, PolicyErrorType } from '../admission-meters.ts';
import {
  AdmissionVariables,
  evaluate,
  type Evaluated,
  type VariableParts,
} from '../expressions/evaluation.ts';
import { AskedDecisions } from '../expressions/check-authority.ts';
import { meetsConditions, noteConditions } from '../expressions/match-conditions.ts';
import { keepManagers, Reinvoked } from '../matching/patched-object.ts';
import { type VersionedObjects, WorkingObjects } from '../matching/versioned-objects.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import type { PluginConfiguration } from '../plugin-configuration.ts';
import { checkPolicyConfiguration } from '../webhooks/webhook-configuration.ts';
import { compileMutatingPolicy, type MutatingPolicy, type Mutation } from './compiled-policies.ts';
import { errorTypeOf, type Invocation, policySteps } from './policy-invocations.ts';
import { POLICY_COST_MAX } from './policy-judgement.ts';
import { applyMutation } from './policy-mutation.ts';

const NAME = 'MutatingAdmissionPolicy';

/** @throws PluginConfigurationError where it is configured in a way that is not served. */
export function mutatingAdmissionPolicy(
  world: AdmissionWorld,
  configuration?: PluginConfiguration,
): MutatingPlugin {
  checkPolicyConfiguration(NAME, configuration);
  const sort = {
    policies: 'admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
    bindings: 'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
    compile: compileMutatingPolicy,
  } as const;
  const mutatesAt = policySteps(world, sort, (attributes, invocations) =>
    new MutatingPolicies(world, attributes).ask(invocations),
  );
  return { name: NAME, mutatesAt };
}

type Call = Invocation<MutatingPolicy> & { readonly kind: 'call' };

interface Refusal {
  readonly message: string;
  readonly reason: string;
}

/** All policies, asked about one request for the first or the second time. */
class MutatingPolicies {
  readonly #attributes: AdmissionAttributes;
  readonly #meters: AdmissionMeters;
  readonly #working: WorkingObjects;
  readonly #reinvoked: Reinvoked;
  readonly #decisions: AskedDecisions;
  readonly #refusals: Refusal[] = [];

  constructor({ authorizer, meters }: AdmissionWorld, attributes: AdmissionAttributes) {
    this.#attributes = attributes;
    this.#meters = meters;
    this.#working = new WorkingObjects(attributes);
    this.#decisions = new AskedDecisions(authorizer);
    this.#reinvoked = attributes.reinvocation.noteOf(NAME, () => new Reinvoked());
  }

  async ask(invocations: readonly Invocation<MutatingPolicy>[]): Promise<Status | undefined> {
    const attributes = this.#attributes;
    const { reinvocation } = attributes;
    if (reinvocation.isSecond && this.#reinvoked.isChangedSince(attributes.object)) {
      this.#reinvoked.objectChanged();
    }
    const managers = attributes.object?.metadata['managedFields'];
    for (const one of invocations) {
      if (one.kind === 'problem') {
        this.#note(one, one.message);
        continue;
      }
      const problem = await this.#call(one);
      if (problem !== undefined) return problem;
    }
    if (this.#working.isDirty) {
      this.#reinvoked.objectChanged();
      reinvocation.ask();
    }
    const problem = await this.#working.settle();
    if (problem !== undefined) return problem;
    keepManagers(attributes, managers);
    this.#reinvoked.leave(attributes.object);
    return refusalOf(attributes, this.#refusals);
  }

  async #call(call: Call): Promise<Status | undefined> {
    const { policy, target } = call;
    const shown = await this.#working.shownAt(target);
    if (!shown.ok) {
      this.#note(call, `failed to configure policy: ${shown.message}`);
      return undefined;
    }
    const met = await this.#conditions(call, shown.versioned);
    if (met?.error !== undefined) this.#note(call, met.error);
    const key = invocationKeyOf(call);
    const isOver = this.#attributes.reinvocation.isSecond && !this.#reinvoked.isWanted(key);
    if (met?.matches === false || isOver) return undefined;
    const before = this.#working.object;
    for (const mutation of policy.mutations) {
      const problem = await this.#mutate(call, mutation);
      if (problem !== undefined) return problem;
    }
    if (!isEqualJson(before, this.#working.object)) {
      this.#reinvoked.objectChanged();
      this.#attributes.reinvocation.ask();
    }
    if (policy.isReinvoked) this.#reinvoked.wasAsked(key);
    return undefined;
  }

  async #mutate(call: Call, mutation: Mutation): Promise<Status | undefined> {
    const shown = await this.#working.shownAt(call.target);
    if (!shown.ok) return internalError(shown.message);
    const { versioned } = shown;
    const { object } = versioned;
    if (object === undefined) return undefined;
    const begun = this.#meters.now();
    const evaluated = await this.#evaluated(call, mutation, versioned);
    const { subresource } = this.#attributes;
    const result = evaluated.ok
      ? applyMutation(mutation, evaluated.value, { versioned, object, subresource })
      : { ok: false as const, message: evaluated.message, isFatal: false };
    this.#measure(call, result.ok ? 'no_error' : errorTypeOf(result.message), begun);
    if (result.ok) this.#working.replace(versioned, result.object);
    else if (result.isFatal) return internalError(result.message);
    else this.#note(call, result.message);
    return undefined;
  }

  #measure({ policy, binding }: Call, errorType: PolicyErrorType, begun: number): void {
    const checked = { policy: policy.name, binding: binding.name, errorType };
    this.#meters.policies.mutated(checked, this.#meters.now() - begun);
  }

  /** undefined: there are none. */
  async #conditions(call: Call, versioned: VersionedObjects) {
    const { conditions, failurePolicy, name } = call.policy;
    if (conditions.length === 0) return undefined;
    const now = (): number => this.#meters.now();
    const met = await this.#decisions.settled(() => {
      const variables = new AdmissionVariables(this.#parts(call, versioned));
      return meetsConditions(conditions, variables, { failurePolicy, now });
    });
    const { operation } = this.#attributes;
    // Upstream calls the type so for both sorts of policies.
    noteConditions(this.#meters, { name, kind: 'policy', type: 'validate', operation }, met);
    return met;
  }

  #evaluated(
    call: Call,
    { expression }: Mutation,
    versioned: VersionedObjects,
  ): Evaluated | Promise<Evaluated> {
    return this.#decisions.settled(() => {
      const budget = { remaining: POLICY_COST_MAX };
      return evaluate(expression, new AdmissionVariables(this.#parts(call, versioned)), budget);
    });
  }

  #parts({ policy, params, namespace }: Call, versioned: VersionedObjects): VariableParts {
    const attributes = this.#attributes;
    const given = { attributes, versioned, params, namespace, decisions: this.#decisions };
    return { ...given, named: policy.variables };
  }

  /** What went wrong is for the failure policy, and is told when all were asked. */
  #note({ policy, binding }: Invocation<MutatingPolicy>, why: string): void {
    if (policy.failurePolicy === 'Ignore') return;
    const who =
      binding === undefined
        ? `policy "${policy.name}"`
        : `policy '${policy.name}' with binding '${binding.name}'`;
    const isConfiguration = why.startsWith('failed to configure ');
    this.#refusals.push({
      message: `${who} denied request: ${why}`,
      reason: isConfiguration ? '' : 'Invalid',
    });
  }
}

function invocationKeyOf({ policy, binding, params }: Call): string {
  const metadata = objectAt(params, 'metadata');
  return [
    policy.name,
    binding.name,
    stringAt(metadata, 'namespace'),
    stringAt(metadata, 'name'),
  ].join('/');
}

/** The first is the message, and all are causes. */
function refusalOf(
  attributes: AdmissionAttributes,
  refusals: readonly Refusal[],
): Status | undefined {
  const [first] = refusals;
  if (first === undefined) return undefined;
  const status = refusedAt(attributes, '');
  const causes = refusals.map(({ message }) => ({ message }));
  const reason = first.reason === '' ? (status.reason ?? '') : first.reason;
  return { ...status, message: first.message, reason, details: { ...status.details, causes } };
}
