/**
 * The annotations by which AppArmor was once set, and the fields that they stand for: a new pod that
 * has only the annotation gets the field too, so that its node's agent needs to look at one of them.
 *
 * In Kubernetes: applyAppArmorVersionSkew, registry/core/pod, and ApparmorFieldForAnnotation, pkg/api/pod.
 */
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { keyPath } from '../../../field/field-path.ts';
import { isMissing, objectsAt, specOf } from '../../rules/value-validation.ts';
import { ofEachContainer, presentAt } from '../pod-rules.ts';
import { APP_ARMOR_CONTAINER, validateAppArmorProfile } from './security-profiles-validation.ts';

const LOCALHOST = 'localhost/';

/** The profile that an annotation says; undefined: none that there is. */
export function appArmorProfileIn(annotation: string): JsonObject | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const profile = annotation.startsWith(LOCALHOST) ? annotation.slice(LOCALHOST.length) : '';
  return profile === '' ? undefined : { type: 'Localhost', localhostProfile: profile };
}

/** Whether two profiles are the same one. */
export function sameProfile(one: JsonObject | undefined, other: JsonObject): boolean {
  const names = ['type', 'localhostProfile'];
  return one !== undefined && names.every((name) => one[name] === (other[name] ?? undefined));
}

/** Sentences about annotations of a new pod that have no field beside them, before they get one. */
export function appArmorWarnings(pod: KubeObject, message: string): readonly string[] {
  const spec = specOf(pod);
  return ofEachContainer('spec', spec, ({ container }) => {
    const said = saidOf(pod, spec, container);
    if (said === undefined || said.isThePods) return [];
    return [`${keyPath('metadata.annotations', said.key)}: ${message}`];
  });
}

/** Makes fields of the annotations of a new pod that have none beside them. */
export function copyAppArmorAnnotations(pod: KubeObject): void {
  const { annotations = {} } = pod.metadata;
  if (!Object.keys(annotations).some((key) => key.startsWith(APP_ARMOR_CONTAINER))) return;
  const spec = specOf(pod);
  const withProfile = (container: JsonObject): JsonObject => {
    const said = saidOf(pod, spec, container);
    if (said?.profile === undefined || said.isThePods) return container;
    const context = objectAt(container, 'securityContext');
    return { ...container, securityContext: { ...context, appArmorProfile: said.profile } };
  };
  const changed: JsonObject = { ...spec };
  for (const key of ['initContainers', 'containers', 'ephemeralContainers']) {
    if (!isMissing(spec[key])) changed[key] = objectsAt(spec, key).map(withProfile);
  }
  pod['spec'] = changed;
}

interface Said {
  readonly key: string;
  /** undefined where the annotation says none that is valid. */
  readonly profile: JsonObject | undefined;
  /** Whether the pod has the same one for all its containers. */
  readonly isThePods: boolean;
}

/** What the annotation of a container says; undefined where there is none, or it does not count. */
function saidOf(
  { metadata }: KubeObject,
  spec: JsonObject,
  container: JsonObject,
): Said | undefined {
  if (stringAt(objectAt(spec, 'os'), 'name') === 'windows') return undefined;
  const key = APP_ARMOR_CONTAINER + stringAt(container, 'name');
  const annotation = metadata.annotations?.[key];
  const own = presentAt(objectAt(container, 'securityContext'), 'appArmorProfile');
  if (annotation === undefined || own !== undefined) return undefined;
  const found = appArmorProfileIn(annotation);
  const isValid =
    found !== undefined && validateAppArmorProfile('', { appArmorProfile: found }).length === 0;
  const profile = isValid ? found : undefined;
  const ofPod = presentAt(objectAt(spec, 'securityContext'), 'appArmorProfile');
  return { key, profile, isThePods: ofPod !== undefined && sameProfile(profile, ofPod) };
}
