/**
 * What the rules of a pod spec depend on besides the spec: whether it is a pod's own or stands in
 * a template, and what the old spec says already, because that stays allowed where it once was.
 *
 * In Kubernetes: PodValidationOptions and GetValidationOptionsFromPodSpecAndMeta, pkg/api/pod.
 */
import { items } from '../../json/go-values.ts';
import type { Container, EphemeralContainer, PodSpec } from '../../generated/kinds/core-v1.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import type { ObjectMeta } from '../../meta/object-meta.ts';
import { isMissing, ofEach } from '../rules/value-validation.ts';

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
  /** Whether `hostNetwork` and `hostUsers: false` go together. */
  readonly allowsHostNetworkWithoutHostUsers: boolean;
}

/** The rules of a template; `old` is the pod spec that stands in the stored one. */
export function templateRules(old: PodSpec | undefined): PodRules {
  return rulesBeside(undefined, old);
}

export function podRules(metadata: ObjectMeta, old: PodSpec | undefined): PodRules {
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

function rulesBeside(metadata: ObjectMeta | undefined, old: PodSpec | undefined): PodRules {
  if (old === undefined)
    return metadata === undefined ? NEW_TEMPLATE : { ...NEW_TEMPLATE, metadata };
  const isIsolated = old.hostUsers === false;
  return {
    metadata,
    allowsMountOption: (old.securityContext?.seLinuxChangePolicy ?? '') !== '',
    allowsComparison: items(old.tolerations).some(({ operator }) => isComparison(operator)),
    allowsInitRestart: items(old.initContainers).some(restartsWhenResized),
    allowsDevicesWithoutHostUsers:
      isIsolated && everyContainer(old).some((one) => !isMissing(one.volumeDevices)),
    allowsHostNetworkWithoutHostUsers: isIsolated && old.hostNetwork === true,
  };
}

/** True for the operators of tolerations that compare numbers. */
export function isComparison(operator: unknown): boolean {
  return operator === 'Lt' || operator === 'Gt';
}

/** A sidecar: an init container that runs on beside the others. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

function restartsWhenResized(container: Container): boolean {
  const policies = items(container.resizePolicy);
  return !isSidecar(container) && policies.some((one) => one.restartPolicy === 'RestartContainer');
}

/** A container of any of the three lists of a pod. */
export type AnyContainer = Container | EphemeralContainer;

/** A container and where it stands. */
export interface PlacedContainer {
  readonly container: AnyContainer;
  readonly field: string;
}

const CONTAINER_KEYS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** In the order in which upstream visits them: init, ordinary, ephemeral. */
export function containersOf(field: string, spec: PodSpec): PlacedContainer[] {
  return CONTAINER_KEYS.flatMap((key) =>
    items<AnyContainer>(spec[key]).map((container, index) => ({
      container,
      field: `${field}.${key}[${String(index)}]`,
    })),
  );
}

/** What is found of each of them, in the same order. */
export function ofEachContainer<Found>(
  field: string,
  spec: PodSpec,
  findIn: (placed: PlacedContainer) => readonly Found[],
): readonly Found[] {
  return CONTAINER_KEYS.flatMap((key) =>
    ofEach<AnyContainer, Found>(spec[key], (container, index) =>
      findIn({ container, field: `${field}.${key}[${String(index)}]` }),
    ),
  );
}

function everyContainer(spec: PodSpec): readonly AnyContainer[] {
  return CONTAINER_KEYS.flatMap((key) => items<AnyContainer>(spec[key]));
}

/** Whether the pod shares the users of its host, which it does unless it says otherwise. */
export function hasHostUsers(spec: PodSpec): boolean {
  return spec.hostUsers !== false;
}

/** The object at `key`; an empty one counts as one, absent and null do not. */
export function presentAt(parent: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = parent?.[key];
  return isJsonObject(value) ? value : undefined;
}
