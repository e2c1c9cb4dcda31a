/**
 * What of a pod may change: images, a shorter deadline, more tolerations, fewer scheduling gates,
 * and while it is gated also where it may run, which can be narrowed down and never widened.
 *
 * In Kubernetes: ValidatePodUpdate, validateNodeSelectorMutation and validateNodeAffinityMutation,
 * pkg/apis/core/validation.
 */
import { items } from '../../../json/go-values.ts';
import type {
  NodeSelectorTerm,
  Pod,
  PodSpec,
  Toleration,
} from '../../../generated/kinds/core-v1.ts';
import type { StringMap } from '../../../meta/object-meta.ts';
import { type FieldErrors, forbiddenField, invalidValue } from '../../../field/field-errors.ts';
import { indexPath, keyPath } from '../../../field/field-path.ts';
import { internalDiff, internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { carryOver } from '../../strategy-of.ts';
import { isMissing, shownMap } from '../../rules/value-validation.ts';
import { MIRROR } from '../../pod-spec/pod-rules.ts';
import { validateAnyPod } from './validation.ts';

const SECONDS_MAX = 2 ** 31 - 1;
const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const MAY_CHANGE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

const CONTAINER_LISTS = ['containers', 'initContainers'] as const;
type ListWithImages = (typeof CONTAINER_LISTS)[number];

export function validatePodChange(pod: Pod, old: Pod): FieldErrors {
  const spec = pod.spec;
  const oldSpec = old.spec;
  const found = [...validateAnyPod(pod, old), ...validateFixedAnnotations(pod, old)];
  for (const key of CONTAINER_LISTS) {
    if (items(spec[key]).length !== items(oldSpec[key]).length) {
      // The containers cannot be compared one by one, so nothing further is looked at.
      const detail = 'pod updates may not add or remove containers';
      return [...found, forbiddenField(`spec.${key}`, detail)];
    }
  }
  const deadline = validateDeadlineChange(spec, oldSpec);
  if (deadline.isFinal) return [...found, ...deadline.errors];
  return [
    ...found,
    ...deadline.errors,
    ...validateAddedTolerations(spec, oldSpec),
    ...validateDeletedGates(spec, oldSpec),
    ...validateFixedFields(spec, oldSpec),
  ];
}

/** Annotations by which the kubelet marks what it runs by itself. */
export function validateFixedAnnotations(pod: Pod, old: Pod): FieldErrors {
  const annotations = pod.metadata.annotations ?? {};
  const oldAnnotations = old.metadata.annotations ?? {};
  const fixed = (map: StringMap): string[] =>
    Object.keys(map).filter((key) => key === MIRROR || key.startsWith(APP_ARMOR_PREFIX));
  const changed = fixed(oldAnnotations).filter(
    (key) => !Object.hasOwn(annotations, key) || annotations[key] !== oldAnnotations[key],
  );
  const added = fixed(annotations).filter((key) => !Object.hasOwn(oldAnnotations, key));
  return [
    ...changed.map((key) => annotationForbidden(key, 'may not remove or update')),
    ...added.map((key) => annotationForbidden(key, 'may not add')),
  ];
}

function annotationForbidden(key: string, what: string) {
  const which = key === MIRROR ? 'mirror pod annotation' : 'AppArmor annotations';
  return forbiddenField(keyPath('metadata.annotations', key), `${what} ${which}`);
}

interface DeadlineChange {
  readonly errors: FieldErrors;
  /** Upstream looks at nothing else after this error. */
  readonly isFinal: boolean;
}

function validateDeadlineChange(spec: PodSpec, oldSpec: PodSpec): DeadlineChange {
  const field = 'spec.activeDeadlineSeconds';
  const seconds = spec.activeDeadlineSeconds;
  const oldSeconds = oldSpec.activeDeadlineSeconds;
  if (seconds === undefined) {
    if (oldSeconds === undefined) return { errors: [], isFinal: false };
    const detail = 'must not update from a positive integer to nil value';
    return { errors: [invalidValue(field, null, detail)], isFinal: false };
  }
  if (seconds < 0 || seconds > SECONDS_MAX) {
    const detail = `must be between 0 and ${String(SECONDS_MAX)}, inclusive`;
    return { errors: [invalidValue(field, seconds, detail)], isFinal: true };
  }
  if (oldSeconds !== undefined && oldSeconds < seconds) {
    const detail = 'must be less than or equal to previous value';
    return { errors: [invalidValue(field, seconds, detail)], isFinal: true };
  }
  return { errors: [], isFinal: false };
}

function validateAddedTolerations(spec: PodSpec, oldSpec: PodSpec): FieldErrors {
  const tolerations = new Set(items(spec.tolerations).map(identityOf));
  const isKept = items(oldSpec.tolerations).every((old) => tolerations.has(identityOf(old)));
  if (isKept) return [];
  const detail = 'existing toleration can not be modified except its tolerationSeconds';
  return [forbiddenField('spec.tolerations', detail)];
}

/** All but its seconds. */
function identityOf({ key, operator, value, effect }: Toleration): string {
  return JSON.stringify([key, operator, value, effect]);
}

function validateDeletedGates(spec: PodSpec, oldSpec: PodSpec): FieldErrors {
  const known = new Set(items(oldSpec.schedulingGates).map((one) => one.name));
  return items(spec.schedulingGates).flatMap((gate, index) => {
    const name = gate.name;
    if (known.has(name)) return [];
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbiddenField(`${indexPath('spec.schedulingGates', index)}.name`, detail)];
  });
}

/** Takes back everything that may change; what differs then may not. */
function validateFixedFields(spec: PodSpec, oldSpec: PodSpec): FieldErrors {
  if (sameValue(spec, oldSpec)) return [];
  const rest = { ...spec };
  for (const key of CONTAINER_LISTS) takeBackImages(rest, oldSpec, key);
  for (const key of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) {
    carryOver(rest, oldSpec, key);
  }
  const oldGrace = oldSpec.terminationGracePeriodSeconds ?? 0;
  if (oldGrace < 0 && rest.terminationGracePeriodSeconds === 1) {
    carryOver(rest, oldSpec, 'terminationGracePeriodSeconds');
  }
  const isGated = !isMissing(oldSpec.schedulingGates);
  const placement = isGated ? validateGatedPlacement(rest, oldSpec) : [];
  if (isGated) takeBackPlacement(rest, oldSpec);
  if (sameValue(rest, oldSpec)) return placement;
  const difference = internalDiff('PodSpec', oldSpec, rest);
  const detail = `pod updates may not change fields other than ${MAY_CHANGE}\n${difference}`;
  return [...placement, forbiddenField('spec', detail)];
}

function takeBackImages(rest: PodSpec, oldSpec: PodSpec, key: ListWithImages): void {
  const oldContainers = items(oldSpec[key]);
  const containers = items(rest[key]).map((container, index) => {
    const copy = { ...container };
    carryOver(copy, oldContainers[index] ?? {}, 'image');
    return copy;
  });
  if (containers.length > 0) rest[key] = containers;
}

function takeBackPlacement(rest: PodSpec, oldSpec: PodSpec): void {
  carryOver(rest, oldSpec, 'nodeSelector');
  const affinity = { ...rest.affinity };
  carryOver(affinity, oldSpec.affinity ?? {}, 'nodeAffinity');
  // An affinity that held nothing but the node affinity is as good as none.
  if (Object.keys(affinity).length > 0) rest.affinity = affinity;
  else carryOver(rest, {}, 'affinity');
}

const TERMS =
  'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';

function validateGatedPlacement(spec: PodSpec, oldSpec: PodSpec): FieldErrors {
  return [...validateNodeSelector(spec, oldSpec), ...validateTerms(spec, oldSpec)];
}

function validateNodeSelector(spec: PodSpec, oldSpec: PodSpec): FieldErrors {
  const selector = spec.nodeSelector ?? {};
  const isKept = Object.entries(oldSpec.nodeSelector ?? {}).every(
    ([key, value]) => Object.hasOwn(selector, key) && selector[key] === value,
  );
  if (isKept) return [];
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalidValue('spec.nodeSelector', shownMap(spec.nodeSelector), detail)];
}

function validateTerms(spec: PodSpec, oldSpec: PodSpec): FieldErrors {
  const terms = termsOf(spec);
  const oldTerms = termsOf(oldSpec);
  if (oldTerms.length > 0 && oldTerms.length !== terms.length) {
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [invalidValue(TERMS, internalForm('[]NodeSelectorTerm', [...terms]), detail)];
  }
  return oldTerms.flatMap((oldTerm, index) =>
    hasOnlyAdditions(terms[index] ?? {}, oldTerm)
      ? []
      : [
          invalidValue(
            indexPath(TERMS, index),
            internalForm('NodeSelectorTerm', terms[index]),
            'only additions are allowed (no mutations or deletions)',
          ),
        ],
  );
}

function termsOf(spec: PodSpec): readonly NodeSelectorTerm[] {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return items(required?.nodeSelectorTerms);
}

/** A term without any requirement selects nothing, so adding to it would widen it. */
function hasOnlyAdditions(term: NodeSelectorTerm, oldTerm: NodeSelectorTerm): boolean {
  const keys = ['matchExpressions', 'matchFields'] as const;
  const isEmpty = (one: NodeSelectorTerm): boolean =>
    keys.every((key) => items(one[key]).length === 0);
  if (isEmpty(oldTerm) && !isEmpty(term)) return false;
  return keys.every((key) => {
    const requirements = items(term[key]);
    return items(oldTerm[key]).every((one, index) => sameValue(one, requirements[index]));
  });
}
