/**
 * All policies of one sort with their compiled bindings, and which of them could be about what is
 * done at a place in the API. A policy without a binding holds nowhere.
 *
 * In Kubernetes: policySource, apiserver/pkg/admission/plugin/policy/generic.
 */
import type {
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBinding,
} from '../../../api/generated/kinds/admissionregistration-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import type { StoredKind } from '../../../projections/objects/stored-kinds.ts';
import {
  compileMatch,
  type MatchResources,
  placedMatch,
  type PlacedMatch,
} from '../matching/match-resources.ts';
import { compileParamRef, type ParamRef } from './policy-parameters.ts';
import type { FollowedObjects } from '../../../projections/followed-objects.ts';
import type { AdmissionPlace } from '../admission-attributes.ts';
import { Configured, whenChanged } from '../matching/configured.ts';

export interface PolicyBinding {
  readonly name: string;
  readonly policy: string;
  /** undefined: wherever the policy is about something. */
  readonly match: MatchResources | undefined;
  readonly paramRef: ParamRef | undefined;
  /** Of validating policies: `Deny`, `Warn`, `Audit`. */
  readonly actions: readonly string[];
}

function compileBinding({
  metadata,
  spec,
}: MutatingAdmissionPolicyBinding | ValidatingAdmissionPolicyBinding): PolicyBinding {
  const { policyName = '', matchResources, paramRef } = spec;
  return {
    name: metadata.name ?? '',
    policy: policyName,
    match: matchResources && compileMatch(matchResources),
    paramRef: compileParamRef(paramRef),
    actions: 'validationActions' in spec ? items(spec.validationActions) : [],
  };
}

/** What policies of both sorts have. */
export interface AnyPolicy {
  readonly name: string;
  readonly match: MatchResources;
}

export interface PlacedPolicy<Policy> {
  readonly policy: Policy;
  readonly match: PlacedMatch;
  readonly bindings: readonly PlacedBinding[];
}

export interface PlacedBinding {
  readonly binding: PolicyBinding;
  /** undefined: wherever the policy is about something. */
  readonly match: PlacedMatch | undefined;
}

type GroupVersion = 'admissionregistration.k8s.io/v1';
export type PolicyPath = `${GroupVersion}/${'mutating' | 'validating'}admissionpolicies`;
type BindingPath = `${GroupVersion}/${'mutating' | 'validating'}admissionpolicybindings`;

export interface PolicySort<Policy, Path extends PolicyPath> {
  readonly policies: Path;
  readonly bindings: BindingPath;
  readonly compile: (policy: StoredKind<Path>) => Policy;
}

export class ConfiguredPolicies<Policy extends AnyPolicy, Path extends PolicyPath> {
  readonly #policies: Configured<Policy, Path>;
  readonly #bindings: Configured<PolicyBinding, BindingPath>;

  constructor(followed: FollowedObjects, sort: PolicySort<Policy, Path>) {
    this.#policies = new Configured(followed, sort.policies, sort.compile);
    this.#bindings = new Configured(followed, sort.bindings, compileBinding);
  }

  /** @returns gives those there are for the place whenever it is asked. */
  at(place: AdmissionPlace): () => readonly PlacedPolicy<Policy>[] {
    return whenChanged([this.#policies, this.#bindings], () => {
      const bindings = this.#bindingsAt(place);
      if (bindings.size === 0) return [];
      return this.#policies.all.flatMap((policy) => {
        const bound = bindings.get(policy.name);
        const match = bound && placedMatch(policy.match, place);
        return bound === undefined || match === undefined
          ? []
          : [{ policy, match, bindings: bound }];
      });
    });
  }

  #bindingsAt(place: AdmissionPlace): ReadonlyMap<string, PlacedBinding[]> {
    const byPolicy = new Map<string, PlacedBinding[]>();
    for (const binding of this.#bindings.all) {
      const match = binding.match && placedMatch(binding.match, place);
      if (binding.match !== undefined && match === undefined) continue;
      const others = byPolicy.get(binding.policy);
      if (others === undefined) byPolicy.set(binding.policy, [{ binding, match }]);
      else others.push({ binding, match });
    }
    return byPolicy;
  }
}
