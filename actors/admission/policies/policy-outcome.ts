/**
 * What follows from what policies have said: the first denial, warnings, and what the record of
 * audit is told.
 *
 * In Kubernetes: dispatcher.Dispatch, apiserver/pkg/admission/plugin/policy/validating.
 */
import { goJson } from '../../../api/json/go-format.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { PolicyMeters } from '../admission-meters.ts';
import type { PolicyBinding } from './configured-policies.ts';
import type { Decision, Judgement } from './policy-judgement.ts';
import { errorTypeOf } from './policy-invocations.ts';
import type { ValidatingPolicy } from './compiled-policies.ts';

export type Judged = { readonly policy: ValidatingPolicy } & (
  | { readonly binding: PolicyBinding; readonly judgement: Judgement; readonly problem?: undefined }
  | {
      readonly binding: PolicyBinding | undefined;
      readonly problem: string;
      readonly judgement?: undefined;
    }
);

export interface Denial {
  /** With the names of policy and binding. */
  readonly message: string;
  readonly reason: string;
}

const FAILURE = 'validation.policy.admission.k8s.io/validation_failure';
const VALUE_BYTES_MAX = 10 * 1024;
type Action = Parameters<PolicyMeters['validated']>[1];
const MEASURED: ReadonlyMap<string, Action> = new Map([
  ['Deny', 'deny'],
  ['Audit', 'audit'],
  ['Warn', 'warn'],
]);

export class PolicyOutcome {
  /** The first one; those behind it are not told. */
  denial: Denial | undefined;
  readonly #attributes: AdmissionAttributes;
  /** By their whole keys, what bindings and parameters have to say under each. */
  readonly #annotations = new Map<string, string[]>();

  readonly #meters: PolicyMeters;

  constructor(attributes: AdmissionAttributes, meters: PolicyMeters) {
    this.#attributes = attributes;
    this.#meters = meters;
  }

  add(judged: Judged): void {
    if (judged.problem !== undefined) {
      if (judged.policy.failurePolicy === 'Fail') {
        this.#deny(judged.policy, judged.binding, judged.problem);
      }
      return;
    }
    const { policy, binding, judgement } = judged;
    for (const [index, decision] of judgement.decisions.entries()) {
      if (!decision.isAdmitted) this.#enforce(policy, binding, decision, index);
      else if (decision.isError) this.#measure(policy, binding, decision, 'allow');
    }
    for (const annotation of judgement.annotations) {
      if (annotation.kind === 'error') {
        this.#deny(policy, binding, annotation.message);
        this.#measure(policy, binding, { message: annotation.message, durationMs: 0 }, 'deny');
      } else this.#annotate(`${policy.name}/${annotation.key}`, annotation.value);
    }
  }

  /** When everything has been added. */
  publish(): void {
    for (const [key, values] of this.#annotations) {
      this.#attributes.request.annotate(key, values.join(', '));
    }
  }

  #enforce(
    policy: ValidatingPolicy,
    binding: PolicyBinding,
    decision: Decision,
    index: number,
  ): void {
    const { request } = this.#attributes;
    const { message, reason } = decision;
    for (const action of binding.actions) {
      const measured = MEASURED.get(action);
      if (measured !== undefined) this.#measure(policy, binding, decision, measured);
      if (action === 'Deny') this.#deny(policy, binding, message, reason);
      else if (action === 'Audit') this.#audit(binding, decision, index);
      else if (action === 'Warn') {
        const who = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
        request.warn(`Validation failed for ${who}: ${message}`);
      }
    }
  }

  #deny(
    { name }: ValidatingPolicy,
    binding: PolicyBinding | undefined,
    why: string,
    reason = '',
  ): void {
    const bound = binding === undefined ? '' : ` with binding '${binding.name}'`;
    const message = `ValidatingAdmissionPolicy '${name}'${bound} denied request: ${why}`;
    this.denial ??= { message, reason };
  }

  #audit({ name, policy, actions }: PolicyBinding, { message }: Decision, index: number): void {
    const failure = {
      ...{ message, policy, binding: name, expressionIndex: index },
      validationActions: [...actions],
    };
    this.#attributes.request.annotate(FAILURE, goJson([failure]));
  }

  #measure(
    { name }: ValidatingPolicy,
    binding: PolicyBinding,
    { message, durationMs }: Pick<Decision, 'message' | 'durationMs'>,
    action: Action,
  ): void {
    const errorType = errorTypeOf(message);
    this.#meters.validated({ policy: name, binding: binding.name, errorType }, action, durationMs);
  }

  /** A value that was noted already is not noted again. */
  #annotate(key: string, whole: string): void {
    const value = Buffer.from(whole).subarray(0, VALUE_BYTES_MAX).toString();
    const said = this.#annotations.get(key);
    if (said === undefined) this.#annotations.set(key, [value]);
    else if (!said.includes(value)) said.push(value);
  }
}
