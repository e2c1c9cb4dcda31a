/**
 * The annotations by which AppArmor was once set, and the fields that they stand for: a new pod that
 * has only the annotation gets the field too, so that its node's agent needs to look at one of them.
 *
 * In Kubernetes: applyAppArmorVersionSkew, registry/core/pod, and ApparmorFieldForAnnotation, pkg/api/pod.
 */
import type { AppArmorProfile, Pod, PodSpec } from '../../../generated/kinds/core-v1.ts';
import { keyPath } from '../../../field/field-path.ts';
import { ofEachContainer, type AnyContainer } from '../pod-rules.ts';
import { APP_ARMOR_CONTAINER, validateAppArmorProfile } from './security-profiles-validation.ts';

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
