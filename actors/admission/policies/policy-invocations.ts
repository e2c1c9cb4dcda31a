/**
 * Which policies are asked about a request, by which binding and with which parameter.
 *
 * In Kubernetes: policyDispatcher.Dispatch, apiserver/pkg/admission/plugin/policy/generic.
 */
import type { JsonObject } from '../../../api/json/json.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { Status } from '../../../api/meta/status.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { NamedPlace } from '../matching/equivalent-places.ts';
import { isPlace, matchedPlace } from '../matching/match-resources.ts';
import { versionedFor, type Versioned } from '../matching/versioned-objects.ts';
import { NAMESPACES } from '../namespace-check.ts';
import type { AnyPolicy, PlacedBinding, PlacedPolicy } from './configured-policies.ts';
import { namespaceObject } from './namespace-object.ts';
import type { PolicyBinding } from './policy-binding.ts';
import {
  collectParams,
  unknownKind,
  type ParamKind,
  type ParamsParts,
} from './policy-parameters.ts';

export interface ParametrizedPolicy extends AnyPolicy {
  readonly paramKind: ParamKind | undefined;
}

export type Invocation<Policy> =
  | {
      readonly kind: 'call';
      readonly policy: Policy;
      readonly binding: PolicyBinding;
      readonly target: NamedPlace;
      readonly params: JsonObject | undefined;
      readonly namespace: JsonObject | undefined;
    }
  /** It cannot be asked; the failure policy decides. */
  | {
      readonly kind: 'problem';
      readonly policy: Policy;
      /** undefined: it is the policy itself that is wrong. */
      readonly binding: PolicyBinding | undefined;
      readonly message: string;
    };

/** @returns a Status where no policy can be asked. */
export function invocationsOf<Policy extends ParametrizedPolicy>(
  parts: ParamsParts,
  placed: readonly PlacedPolicy<Policy>[],
  attributes: AdmissionAttributes,
): Invocation<Policy>[] | Status {
  const invocations: Invocation<Policy>[] = [];
  for (const one of placed) {
    const { policy } = one;
    const target = matchedPlace(one.match, attributes);
    if (target === 'no') continue;
    const problem = isPlace(target)
      ? policy.paramKind && unknownKind(parts, policy.paramKind)
      : (target.message ?? '');
    if (problem !== undefined || !isPlace(target)) {
      const message = `failed to configure policy: ${problem ?? ''}`;
      invocations.push({ kind: 'problem', policy, binding: undefined, message });
      continue;
    }
    for (const bound of one.bindings) {
      const calls = callsOf(parts, { policy, target }, bound, attributes);
      if (!Array.isArray(calls)) return calls;
      invocations.push(...calls);
    }
  }
  return invocations;
}

function callsOf<Policy extends ParametrizedPolicy>(
  parts: ParamsParts,
  { policy, target }: { readonly policy: Policy; readonly target: NamedPlace },
  { binding, match }: PlacedBinding,
  attributes: AdmissionAttributes,
): Invocation<Policy>[] | Status {
  const problem = (why: string): Invocation<Policy>[] => [
    { kind: 'problem', policy, binding, message: `failed to configure binding: ${why}` },
  ];
  const matched = match === undefined ? target : matchedPlace(match, attributes);
  if (matched === 'no') return [];
  if (!isPlace(matched)) return problem(matched.message ?? '');
  const { served, namespace } = attributes;
  // A request about a namespace is said to be in it, and finds its parameters there.
  const collected = collectParams(parts, policy.paramKind, binding.paramRef, namespace);
  if (!collected.ok) return problem(collected.message);
  const found = namespaceObject(attributes);
  if (!found.ok) return served.definition.storage === NAMESPACES ? [] : found.status;
  return collected.params.map((params) => ({
    ...{ kind: 'call', policy, binding, target, params, namespace: found.namespace },
  }));
}

/** The objects of the request in all versions that policies are about. */
export type Shown = ReadonlyMap<NamedPlace, Versioned>;

export function shownObjects(
  attributes: AdmissionAttributes,
  invocations: readonly Invocation<unknown>[],
): MaybePromise<Shown> {
  const targets = new Set<NamedPlace>();
  for (const one of invocations) if (one.kind === 'call') targets.add(one.target);
  const shown = new Map<NamedPlace, Versioned>();
  let all: MaybePromise<void> = undefined;
  for (const target of targets) {
    all = andThen(all, () =>
      andThen(versionedFor(attributes, target), (versioned) => {
        shown.set(target, versioned);
      }),
    );
  }
  return andThen(all, () => shown);
}
