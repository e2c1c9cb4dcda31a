/** Paths and manifests for the stories of a whole cluster. */
import { at, type JsonObject, type JsonValue, textAt } from '../support/json.ts';
import type { Cluster } from './cluster.ts';

/** By its sentence, each story; a story runs beside the others. */
export type Stories = Readonly<Record<string, (cluster: Cluster) => Promise<void>>>;

/** For `kubectl wait` and `rollout status`: it says itself what it waited for. */
export const WAIT = '--timeout=240s';

/** @param place as `deployments/web`; a list without the name. */
export function pathOf(apiVersion: string, namespace: string, place: string): string {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${root}/namespaces/${namespace}/${place}`;
}

export function objectOf(
  apiVersion: string,
  kind: string,
  name: string,
  rest: JsonObject = {},
): JsonObject {
  const { metadata, ...others } = rest;
  const more = typeof metadata === 'object' && !Array.isArray(metadata) ? metadata : {};
  return { apiVersion, kind, metadata: { name, ...more }, ...others };
}

export interface PodWishes {
  readonly labels?: JsonObject;
  readonly annotations?: JsonObject;
  readonly finalizers?: string[];
  readonly requests?: JsonObject;
  readonly spec?: JsonObject;
}

/** The template of a pod, which with a name is a pod. */
export function podTemplate(wishes: PodWishes = {}): JsonObject {
  const { labels, annotations, finalizers, requests, spec = {} } = wishes;
  const resources = requests === undefined ? {} : { resources: { requests } };
  const containers = [{ name: 'main', image: 'example/main:1', ...resources }];
  return { metadata: { labels, annotations, finalizers }, spec: { containers, ...spec } };
}

export function podObject(name: string, wishes?: PodWishes): JsonObject {
  return objectOf('v1', 'Pod', name, podTemplate(wishes));
}

/** A Deployment, ReplicaSet, StatefulSet or DaemonSet whose pods have the label `app=NAME`. */
export function workload(
  kind: 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet',
  name: string,
  wishes: { readonly spec?: JsonObject; readonly pod?: PodWishes } = {},
): JsonObject {
  const labels = { app: name };
  const template = podTemplate({ ...wishes.pod, labels: { ...labels, ...wishes.pod?.labels } });
  const spec = { selector: { matchLabels: labels }, template, ...wishes.spec };
  return objectOf('apps/v1', kind, name, { spec });
}

/** The part of a pod's spec that brings it onto the nodes reserved for a story. */
export function only(story: string): JsonObject {
  return {
    nodeSelector: { story },
    tolerations: [{ key: 'story', value: story, effect: 'NoSchedule' }],
  };
}

/** The labels and taints of such a node. */
export function reservedFor(story: string): { labels: JsonObject; taints: JsonObject[] } {
  return { labels: { story }, taints: [{ key: 'story', value: story, effect: 'NoSchedule' }] };
}

/** A namespaced definition of the group stories.example.com with a status; `plural` ends with an s. */
export function definition(plural: string): JsonObject {
  const singular = plural.slice(0, -1);
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version: JsonObject = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything } } },
    subresources: { status: {} },
  };
  return objectOf(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    `${plural}.stories.example.com`,
    {
      spec: {
        group: 'stories.example.com',
        scope: 'Namespaced',
        names: { plural, singular, kind: kindOf(plural) },
        versions: [version],
      },
    },
  );
}

/** An object of it. */
export function custom(plural: string, name: string, metadata: JsonObject = {}): JsonObject {
  return objectOf(CUSTOM, kindOf(plural), name, { metadata, spec: { size: 1 } });
}

export const CUSTOM = 'stories.example.com/v1';

function kindOf(plural: string): string {
  return `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`;
}

/** Creates it and waits until its objects are served. */
export async function define({ kubectl }: Cluster, plural: string): Promise<void> {
  await kubectl('create -f -', { input: JSON.stringify(definition(plural)) });
  await kubectl(`wait --for=condition=Established crd/${plural}.stories.example.com ${WAIT}`);
}

export function itemsOf(list: JsonValue): JsonValue[] {
  const items = at(list, 'items');
  return Array.isArray(items) ? items : [];
}

export function nameOf(object: JsonValue): JsonValue | undefined {
  return at(object, 'metadata', 'name');
}

/** Waits until the namespace's pods, those that are deleted among them, are so. */
export async function podsSeen(
  cluster: Cluster,
  namespace: string,
  what: string,
  are: (pods: JsonValue[]) => boolean,
): Promise<JsonValue[]> {
  const path = pathOf('v1', namespace, 'pods');
  return itemsOf(await cluster.seen(path, what, (list) => are(itemsOf(list))));
}

export function isRunning(pod: JsonValue): boolean {
  return at(pod, 'status', 'phase') === 'Running' && !isDeleted(pod);
}

export function isDeleted(object: JsonValue): boolean {
  return at(object, 'metadata', 'deletionTimestamp') !== undefined;
}

export function imageOf(pod: JsonValue): string {
  return textAt(pod, 'spec', 'containers', 0, 'image');
}
