/**
 * What the rules of a pod spec depend on besides the spec: whether it is a pod's own or stands in
 * a template, and what the old spec says already, because that stays allowed where it once was.
 *
 * In Kubernetes: PodValidationOptions and GetValidationOptionsFromPodSpecAndMeta, pkg/api/pod.
 */
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../json/json.ts';
import type { ObjectMeta } from '../../meta/object-meta.ts';
import { isMissing, objectsAt, ofEachAt } from '../rules/value-validation.ts';

/** How a node's agent marks a pod that it did not get from here. */
export const MIRROR = 'kubernetes.io/config.mirror';

export interface PodRules {
  /** Of the pod; undefined in a template. */
  readonly metadata: ObjectMeta | undefined;
  /** Whether volumes may relabel their files when they are mounted. */
  readonly allowsMountOption: boolean;
  /** Whether tolerations may compare numbers. */
  readonly allowsComparison: boolean;
  /** Whether an init container that is no sidecar may restart when it is resized. */
  readonly allowsInitRestart: boolean;
  /** Whether volume devices may stand beside user namespaces. */
  readonly allowsDevicesWithoutHostUsers: boolean;
  readonly allowsHostNetworkWithoutHostUsers: boolean;
}

/** The rules of a template; `old` is the pod spec that stands in the stored one. */
export function templateRules(old: JsonObject | undefined): PodRules {
  return rulesBeside(undefined, old);
}

export function podRules(metadata: ObjectMeta, old: JsonObject | undefined): PodRules {
  return rulesBeside(metadata, old);
}

const NEW_TEMPLATE: PodRules = {
  metadata: undefined,
  allowsMountOption: false,
  allowsComparison: false,
  allowsInitRestart: false,
  allowsDevicesWithoutHostUsers: false,
  allowsHostNetworkWithoutHostUsers: false,
};

function rulesBeside(metadata: ObjectMeta | undefined, old: JsonObject | undefined): PodRules {
  if (old === undefined)
    return metadata === undefined ? NEW_TEMPLATE : { ...NEW_TEMPLATE, metadata };
  const isIsolated = old['hostUsers'] === false;
  return {
    metadata,
    allowsMountOption: stringAt(objectAt(old, 'securityContext'), 'seLinuxChangePolicy') !== '',
    allowsComparison: objectsAt(old, 'tolerations').some(({ operator }) => isComparison(operator)),
    allowsInitRestart: objectsAt(old, 'initContainers').some(restartsWhenResized),
    allowsDevicesWithoutHostUsers:
      isIsolated && everyContainer(old).some((one) => !isMissing(one['volumeDevices'])),
    allowsHostNetworkWithoutHostUsers: isIsolated && old['hostNetwork'] === true,
  };
}

export function isComparison(operator: unknown): boolean {
  return operator === 'Lt' || operator === 'Gt';
}

/** A sidecar: an init container that runs on beside the others. */
export function isSidecar(container: JsonObject): boolean {
  return container['restartPolicy'] === 'Always';
}

function restartsWhenResized(container: JsonObject): boolean {
  const policies = objectsAt(container, 'resizePolicy');
  return (
    !isSidecar(container) && policies.some((one) => one['restartPolicy'] === 'RestartContainer')
  );
}

/** A container and where it stands. */
export interface PlacedContainer {
  readonly container: JsonObject;
  readonly field: string;
}

const CONTAINER_KEYS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** In the order in which upstream visits them: init, ordinary, ephemeral. */
export function containersOf(field: string, spec: JsonObject): PlacedContainer[] {
  return CONTAINER_KEYS.flatMap((key) =>
    objectsAt(spec, key).map((container, index) => ({
      container,
      field: `${field}.${key}[${String(index)}]`,
    })),
  );
}

/** What is found of each of them, in the same order. */
export function ofEachContainer<Found>(
  field: string,
  spec: JsonObject,
  findIn: (placed: PlacedContainer) => readonly Found[],
): readonly Found[] {
  return CONTAINER_KEYS.flatMap((key) =>
    ofEachAt(spec, key, (container, index) =>
      findIn({ container, field: `${field}.${key}[${String(index)}]` }),
    ),
  );
}

function everyContainer(spec: JsonObject): JsonObject[] {
  return CONTAINER_KEYS.flatMap((key) => objectsAt(spec, key));
}

/** Whether the pod shares the users of its host, which it does unless it says otherwise. */
export function hasHostUsers(spec: JsonObject): boolean {
  return spec['hostUsers'] !== false;
}

/** The object at `key`; an empty one counts as one, absent and null do not. */
export function presentAt(parent: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = parent?.[key];
  return isJsonObject(value) ? value : undefined;
}
