/**
 * Which objects belong to which node: through a pod that runs there, through a volume of such a pod,
 * or because the object names the node.
 *
 * The surprise: what changes is only noted, and read when a node next asks. Pods change far more
 * often than that.
 *
 * In Kubernetes: Graph, plugin/pkg/auth/authorizer/node.
 */
import type { PodCertificateRequest } from '../../../api/generated/kinds/certificates-v1beta1.ts';
import type { PersistentVolume, Pod } from '../../../api/generated/kinds/core-v1.ts';
import type { ResourceSlice } from '../../../api/generated/kinds/resource-v1.ts';
import type { VolumeAttachment } from '../../../api/generated/kinds/storage-v1.ts';
import type { ObjectOf } from '../../../api/meta/object-meta.ts';
import type { FollowedIndex, FollowedObjects } from '../../../projections/followed-objects.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { nameOf, namespaceOf, pathOf, type StoredObject } from '../../../streams/event.ts';
import { NotedObjects } from './noted-objects.ts';
import { podReferences, volumeSecrets, type Referenced } from './node-references.ts';

export interface NodeGraph {
  /** Whether the object belongs to the node. */
  reaches(node: string, resource: Referenced | 'persistentvolumes', path: string): boolean;
}

export function nodeGraph(followed: Pick<FollowedObjects, 'follow'>): NodeGraph {
  return new Graph(followed);
}

/** What of an object was entered: keys of {@link referenceKeyOf}, all of one node. */
interface Entered {
  readonly node: string;
  readonly keys: readonly string[];
}

interface Volume {
  /** Key of its claim. */
  readonly claim: string;
  /** Keys of its secrets. */
  readonly secrets: readonly string[];
}

class Graph implements NodeGraph {
  readonly #sources: readonly Pick<NotedObjects<never>, 'settle'>[];
  readonly #followed: readonly FollowedIndex[];
  /** For each object the nodes that it belongs to, and through how many others. */
  readonly #nodes = new Map<string, Map<string, number>>();
  readonly #volumes = new Map<string, Volume>();
  /** The paths of the volumes that need a secret. */
  readonly #volumesOfSecret = new Map<string, Set<string>>();

  constructor(followed: Pick<FollowedObjects, 'follow'>) {
    const entering = (read: (object: StoredObject) => Entered | undefined) =>
      new NotedObjects<Entered>({
        read,
        enter: (entered, by) => {
          this.#enter(entered, by);
        },
      });
    const volumes = new NotedObjects<readonly [path: string, volume: Volume]>({
      read: readVolume,
      enter: ([path, volume], by) => {
        this.#enterVolume(path, volume, by);
      },
    });
    const sources = [
      ['core/pods', entering(readPod)],
      ['storage.k8s.io/volumeattachments', entering(ofNode('volumeattachments'))],
      ['resource.k8s.io/resourceslices', entering(ofNode('resourceslices'))],
      ['certificates.k8s.io/podcertificaterequests', entering(ofNode('podcertificaterequests'))],
      ['core/persistentvolumes', volumes],
    ] as const;
    this.#sources = sources.map(([, noted]) => noted);
    this.#followed = sources.map(([resource, noted]) => followed.follow(resource, noted));
  }

  reaches(node: string, resource: Referenced | 'persistentvolumes', path: string): boolean {
    for (const one of this.#followed) one.fill();
    for (const one of this.#sources) one.settle();
    if (resource === 'persistentvolumes') return this.#hasVolume(node, path);
    const key = referenceKeyOf(resource, path);
    if (this.#has(node, key)) return true;
    const volumes = this.#volumesOfSecret.get(key) ?? [];
    return [...volumes].some((volume) => this.#hasVolume(node, volume));
  }

  #has(node: string, key: string): boolean {
    return this.#nodes.get(key)?.has(node) === true;
  }

  #hasVolume(node: string, path: string): boolean {
    const volume = this.#volumes.get(path);
    return volume !== undefined && this.#has(node, volume.claim);
  }

  #enter({ node, keys }: Entered, by: 1 | -1): void {
    for (const key of keys) {
      const nodes = this.#nodes.get(key) ?? new Map<string, number>();
      const count = (nodes.get(node) ?? 0) + by;
      if (count > 0) nodes.set(node, count);
      else nodes.delete(node);
      if (nodes.size > 0) this.#nodes.set(key, nodes);
      else this.#nodes.delete(key);
    }
  }

  #enterVolume(path: string, volume: Volume, by: 1 | -1): void {
    if (by > 0) this.#volumes.set(path, volume);
    else this.#volumes.delete(path);
    for (const secret of volume.secrets) {
      const volumes = this.#volumesOfSecret.get(secret) ?? new Set<string>();
      if (by > 0) volumes.add(path);
      else volumes.delete(path);
      if (volumes.size > 0) this.#volumesOfSecret.set(secret, volumes);
      else this.#volumesOfSecret.delete(secret);
    }
  }
}

function referenceKeyOf(resource: Referenced, path: string): string {
  return `${resource} ${path}`;
}

function readPod(stored: StoredObject): Entered | undefined {
  const pod = parsedObject(stored) as ObjectOf<Pod>; // Stored as one.
  const { nodeName: node = '' } = pod.spec;
  if (node === '') return undefined;
  const namespace = namespaceOf(stored.path);
  const keys = podReferences(pod).map(({ resource, name }) =>
    referenceKeyOf(resource, pathOf(namespace, name)),
  );
  return { node, keys: [referenceKeyOf('pods', stored.path), ...keys] };
}

type OfNode = PodCertificateRequest | ResourceSlice | VolumeAttachment;

/** Of a VolumeAttachment, a ResourceSlice or a PodCertificateRequest. */
function ofNode(resource: Referenced) {
  return (stored: StoredObject): Entered | undefined => {
    const { spec } = parsedObject(stored) as ObjectOf<OfNode>; // Stored as one of them.
    const { nodeName: node = '' } = spec;
    return node === '' ? undefined : { node, keys: [referenceKeyOf(resource, stored.path)] };
  };
}

function readVolume(stored: StoredObject): readonly [string, Volume] | undefined {
  const { spec } = parsedObject(stored) as ObjectOf<PersistentVolume>; // Stored as one.
  const { claimRef } = spec;
  if (claimRef === undefined) return undefined;
  const claimPath = pathOf(claimRef.namespace ?? '', claimRef.name ?? '');
  const secrets = volumeSecrets(spec).map(({ namespace, name }) =>
    referenceKeyOf('secrets', pathOf(namespace, name)),
  );
  const volume = { claim: referenceKeyOf('persistentvolumeclaims', claimPath), secrets };
  return [pathOf('', nameOf(stored.path)), volume];
}
