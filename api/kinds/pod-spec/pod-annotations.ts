/**
 * Annotations of pods that mean something to the server. AppArmor was once set by annotations: a
 * new pod that has only the annotation gets the field too, so that its node's agent needs to look
 * at one of them.
 *
 * In Kubernetes: ValidatePodSpecificAnnotations, pkg/apis/core/validation;
 * applyAppArmorVersionSkew, registry/core/pod; ApparmorFieldForAnnotation, pkg/api/pod.
 */
import type { AppArmorProfile, Pod, PodSpec } from '../../generated/kinds/core-v1.ts';
import { keyPath } from '../../field/field-path.ts';
import { type AnyContainer, MIRROR, ofEachContainer, type PodRules } from './pod-rules.ts';
import {
  APP_ARMOR_CONTAINER,
  validateAppArmorProfile,
  validateProfileAnnotations,
} from './security/security-profiles-validation.ts';
import { parseJson } from '../../json/json-text.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import type { StringMap } from '../../meta/object-meta.ts';
import { type FieldErrors, invalidValue } from '../../field/field-errors.ts';
import { validateTolerations } from './placement/tolerations-validation.ts';

const LOCALHOST = 'localhost/';

/** The profile that an annotation says; undefined: none that there is. */
export function appArmorProfileIn(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const profile = annotation.startsWith(LOCALHOST) ? annotation.slice(LOCALHOST.length) : '';
  return profile === '' ? undefined : { type: 'Localhost', localhostProfile: profile };
}

/** Whether two profiles are the same one. */
export function sameProfile(one: AppArmorProfile | undefined, other: AppArmorProfile): boolean {
  const names = ['type', 'localhostProfile'] as const;
  return one !== undefined && names.every((name) => one[name] === other[name]);
}

/** Sentences about annotations of a new pod that have no field beside them, before they get one. */
export function appArmorWarnings(pod: Pod, message: string): readonly string[] {
  const { spec } = pod;
  return ofEachContainer('spec', spec, ({ container }) => {
    const said = saidOf(pod, spec, container);
    if (said === undefined || said.isThePods) return [];
    return [`${keyPath('metadata.annotations', said.key)}: ${message}`];
  });
}

/** Makes fields of the annotations of a new pod that have none beside them. */
export function copyAppArmorAnnotations(pod: Pod): void {
  const { annotations = {} } = pod.metadata;
  if (!Object.keys(annotations).some((key) => key.startsWith(APP_ARMOR_CONTAINER))) return;
  const { spec } = pod;
  const withProfile = <Any extends AnyContainer>(container: Any): Any => {
    const said = saidOf(pod, spec, container);
    if (said?.profile === undefined || said.isThePods) return container;
    const context = container.securityContext;
    return { ...container, securityContext: { ...context, appArmorProfile: said.profile } };
  };
  const { initContainers, containers, ephemeralContainers } = spec;
  pod.spec = {
    ...spec,
    ...(initContainers && { initContainers: initContainers.map(withProfile) }),
    ...(containers && { containers: containers.map(withProfile) }),
    ...(ephemeralContainers && { ephemeralContainers: ephemeralContainers.map(withProfile) }),
  };
}

interface Said {
  readonly key: string;
  /** undefined where the annotation says none that is valid. */
  readonly profile: AppArmorProfile | undefined;
  /** Whether the pod has the same one for all its containers. */
  readonly isThePods: boolean;
}

/** What the annotation of a container says; undefined where there is none, or it does not count. */
function saidOf(
  { metadata }: Pick<Pod, 'metadata'>,
  spec: PodSpec,
  container: AnyContainer,
): Said | undefined {
  if (spec.os?.name === 'windows') return undefined;
  const key = APP_ARMOR_CONTAINER + container.name;
  const annotation = metadata.annotations?.[key];
  const own = container.securityContext?.appArmorProfile;
  if (annotation === undefined || own !== undefined) return undefined;
  const found = appArmorProfileIn(annotation);
  const isValid =
    found !== undefined && validateAppArmorProfile('', { appArmorProfile: found }).length === 0;
  const profile = isValid ? found : undefined;
  const ofPod = spec.securityContext?.appArmorProfile;
  return { key, profile, isThePods: ofPod !== undefined && sameProfile(profile, ofPod) };
}

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const INT32 = /^(?:0|[-+]?[1-9][0-9]{0,9})$/;
const INT32_MAX = 2 ** 31 - 1;

/**
 * ValidatePodSpecificAnnotations: mirrors, tolerations, the deletion cost, AppArmor and seccomp.
 */
export function validatePodAnnotations(
  field: string,
  annotations: StringMap,
  spec: PodSpec,
  rules: PodRules,
): FieldErrors {
  if (Object.keys(annotations).length === 0) return [];
  return [
    ...validateMirror(field, annotations, spec),
    ...validateWrittenTolerations(field, annotations, rules),
    ...validateDeletionCost(field, annotations),
    ...validateProfileAnnotations(field, annotations, spec),
  ];
}

/** A node's agent mirrors the pods that it runs by itself, so it knows the node. */
function validateMirror(field: string, annotations: StringMap, spec: PodSpec): FieldErrors {
  if (!Object.hasOwn(annotations, MIRROR) || (spec.nodeName ?? '') !== '') return [];
  const detail = 'must set spec.nodeName if mirror pod annotation is set';
  return [invalidValue(keyPath(field, MIRROR), annotations[MIRROR], detail)];
}

/** Tolerations were once written as JSON into an annotation; what is no list is not looked at. */
function validateWrittenTolerations(
  field: string,
  annotations: StringMap,
  rules: PodRules,
): FieldErrors {
  const text = annotations[TOLERATIONS] ?? '';
  if (text === '') return [];
  const parsed = parsedJson(text);
  if (!Array.isArray(parsed)) {
    return [invalidValue(field, TOLERATIONS, 'must be a list of tolerations in JSON')];
  }
  const tolerations = parsed.map((one) => (isJsonObject(one) ? one : {}));
  return validateTolerations(`${field}.${TOLERATIONS}`, tolerations, rules.allowsComparison);
}

function parsedJson(text: string): JsonValue | undefined {
  try {
    // Parsed JSON is a JSON value.
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function validateDeletionCost(field: string, annotations: StringMap): FieldErrors {
  const cost = annotations[DELETION_COST];
  if (cost === undefined) return [];
  const number = Number(cost);
  const isNumber = INT32.test(cost) && !cost.startsWith('+');
  if (isNumber && number <= INT32_MAX && number >= -INT32_MAX - 1) return [];
  return [invalidValue(keyPath(field, DELETION_COST), cost, 'must be a 32bit integer')];
}
