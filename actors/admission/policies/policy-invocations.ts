/**
 * Which policies are asked about a request, by which binding, with which parameter and namespace.
 *
 * Policies are never asked about policies, nor about reviews of which user a token belongs to and
 * what the user may do, without which nothing works.
 *
 * In Kubernetes: policyDispatcher.Dispatch, apiserver/pkg/admission/plugin/policy/generic,
 * CreateNamespaceObject, plugin/cel, and pkg/kubeapiserver/admission/exclusion.
 */
import { type JsonObject, objectAt } from '../../../api/json/json.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { notFound, type Status } from '../../../api/meta/status.ts';
import type { AdmissionAttributes, AdmissionPlace } from '../admission-attributes.ts';
import type { NamedPlace } from '../matching/resource-rules.ts';
import { isPlace, matchedPlace } from '../matching/match-resources.ts';
import { type Versioned, versionedFor } from '../matching/versioned-objects.ts';
import { NAMESPACES } from '../plugins/namespaces.ts';
import {
  type AnyPolicy,
  ConfiguredPolicies,
  type PlacedBinding,
  type PlacedPolicy,
  type PolicyBinding,
  type PolicyPath,
  type PolicySort,
} from './configured-policies.ts';
import {
  collectParams,
  type ParamKind,
  type ParamsParts,
  unknownKind,
} from './policy-parameters.ts';
import { KindsServed } from '../../served-resources/served-kinds.ts';
import type { AdmissionStep } from '../admission-plugin.ts';
import type { AdmissionWorld } from '../admission-world.ts';
import { configuredStep } from '../matching/configured.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { pathOf, type StoredObject } from '../../../streams/event.ts';

interface ParametrizedPolicy extends AnyPolicy {
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
function invocationsOf<Policy extends ParametrizedPolicy>(
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

const EXCLUDED: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
]);

function isOutOfScope({ served: { facts } }: AdmissionPlace): boolean {
  return EXCLUDED.has(`${facts.group}/${facts.resource}`);
}

export function policySteps<Policy extends ParametrizedPolicy, Path extends PolicyPath>(
  world: AdmissionWorld,
  sort: PolicySort<Policy, Path>,
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

const METADATA = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
];

type FoundNamespace =
  | { readonly ok: true; readonly namespace: JsonObject | undefined }
  | { readonly ok: false; readonly status: Status };

/** Requests about a namespace itself are shown none. */
function namespaceObject({ served, namespace, objects }: AdmissionAttributes): FoundNamespace {
  const isOfOne = namespace !== '' && served.definition.storage !== NAMESPACES;
  if (!isOfOne) return { ok: true, namespace: undefined };
  const stored = objects.get(NAMESPACES, pathOf('', namespace));
  if (stored !== undefined) return { ok: true, namespace: shown(stored) };
  return { ok: false, status: notFound({ group: '', resource: 'namespaces' }, namespace) };
}

const kept = new WeakMap<StoredObject, JsonObject>();

function shown(stored: StoredObject): JsonObject {
  let namespace = kept.get(stored);
  if (namespace === undefined) {
    const object = parsedObject(stored);
    const metadata: JsonObject = {};
    for (const key of METADATA) {
      const value = objectAt(object, 'metadata')?.[key];
      if (value !== undefined) metadata[key] = value;
    }
    namespace = { metadata, spec: object['spec'] ?? {}, status: object['status'] ?? {} };
    kept.set(stored, namespace);
  }
  return namespace;
}
