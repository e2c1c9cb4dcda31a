/**
 * Which pod a ResourceClaim was made for, of the claims that stand for extended resources: what the
 * pod counts in a quota, the claim does not count again.
 *
 * A pod says which claim is its own; until it does, it is the first of those that name the pod. So
 * what a claim uses changes with the pod, and with the other claims. A listener that has counted it
 * is told: of one claim at most for a pod, however many name it. Nothing is looked at before the pod
 * of such a claim is asked for; then a change of a pod costs a look into a map, and a change of a
 * claim is noted, and read when it is asked about.
 *
 * In Kubernetes: getVerifiedPodUsage, pkg/quota/v1/evaluator/core/resource_claims.go.
 */
import type { Pod } from '../../api/generated/kinds/core-v1.ts';
import type { ResourceClaim } from '../../api/generated/kinds/resource-v1.ts';
import type { ObjectMeta, ObjectOf } from '../../api/meta/object-meta.ts';
import { claimNamedBy, claimOwner, type ClaimOwner } from '../../api/quota/device-claim-usage.ts';
import {
  nameOf,
  namespaceOf,
  pathOf,
  prefixOf,
  type Requirement,
  type StoredObject,
} from '../../streams/event.ts';
import type { FollowedIndex, FollowedObjects } from '../followed-objects.ts';
import type { ObjectView } from '../objects/object-view.ts';
import { metadataOf } from '../objects/object-metadata.ts';
import { parsedObject } from '../objects/stored-object.ts';

/** ResourceClaims, as they are named in the log. */
export const CLAIMS = 'resource.k8s.io/resourceclaims';
/** Pods, as they are named in the log. */
export const PODS = 'core/pods';

/** A claim that says that it was made for a pod. */
interface MadeClaim {
  readonly path: string;
  readonly name: string;
  /** RFC 3339, in whole seconds: it sorts as text. */
  readonly createdAt: string;
  readonly podPath: string;
  /** Those that name the same pod: `<namespace>/<uid>`. */
  readonly group: string;
}

/** What is said of the pod of a claim. */
interface ClaimTie {
  readonly pod: Pod;
  readonly stored: StoredObject;
  /** The pod does not say which claim is its own. */
  readonly isByOrder: boolean;
}

export class ExtendedClaims {
  readonly #objects: Pick<ObjectView, 'of'>;
  readonly #loosened: (path: string) => void;
  readonly #claims: FollowedIndex;
  readonly #pods: FollowedIndex;
  /** Changed in the fold, and not read yet. */
  readonly #noted = new Map<string, StoredObject>();
  readonly #made = new Map<string, MadeClaim>();
  /** The claims that name a pod, by its path. */
  readonly #byPod = new Map<string, Set<string>>();
  readonly #groups = new Map<string, ClaimGroup>();
  /** The pods that may have another claim now, or count something else. */
  readonly #touched = new Set<string>();
  /** The claim that is a pod's own, by the pod's path. */
  readonly #ownClaims = new Map<string, string>();
  #lastPod: { readonly stored: StoredObject; readonly pod: Pod } | undefined;

  /** @param loosened is told the path of a claim of which {@link podOf} may say something else now. */
  constructor(
    followed: FollowedObjects,
    objects: Pick<ObjectView, 'of'>,
    loosened: (path: string) => void,
  ) {
    this.#objects = objects;
    this.#loosened = loosened;
    const podChanged = (path: string): void => {
      if (this.#byPod.has(path)) this.#touched.add(path);
    };
    this.#pods = followed.follow(PODS, {
      set: ({ path }) => {
        podChanged(path);
      },
      delete: podChanged,
      clear: () => undefined,
    });
    this.#claims = followed.follow(CLAIMS, {
      set: (claim) => {
        this.#noted.set(claim.path, claim);
      },
      delete: (path) => {
        this.#noted.delete(path);
        this.#replace(path, undefined);
      },
      clear: () => {
        this.#clear();
      },
    });
  }

  /** Tells of what has loosened up to now. */
  read(): void {
    for (const [path, claim] of this.#noted) {
      this.#replace(path, madeClaim(path, metadataOf(claim)));
    }
    this.#noted.clear();
    for (const podPath of this.#touched) {
      const before = this.#ownClaims.get(podPath);
      const after = this.#ownClaimOf(podPath)?.path;
      if (after === undefined) this.#ownClaims.delete(podPath);
      else this.#ownClaims.set(podPath, after);
      if (before !== undefined) this.#loosened(before);
      if (after !== undefined && after !== before) this.#loosened(after);
    }
    this.#touched.clear();
  }

  /** The pod that the claim was made for; undefined: it was not, or that is not certain. */
  podOf(claim: ResourceClaim): Pod | undefined {
    return this.#tieOf(claim)?.pod;
  }

  /** What has to stay as it is for {@link podOf} to say the same. */
  requirementsOf(claim: ResourceClaim): Requirement[] {
    const tie = this.#tieOf(claim);
    if (tie === undefined) return [];
    const { path, resourceVersion } = tie.stored;
    const ofPod = { resource: PODS, path, resourceVersion };
    if (!tie.isByOrder) return [ofPod];
    const { changedAt } = this.#objects.of(CLAIMS);
    const prefix = prefixOf(namespaceOf(path));
    return [ofPod, { resource: CLAIMS, path: prefix, resourceVersion: changedAt }];
  }

  #tieOf(claim: ResourceClaim): ClaimTie | undefined {
    const owner = claimOwner(claim);
    if (owner === undefined) return undefined;
    this.#pods.fill();
    this.#claims.fill();
    this.read();
    const { name = '', namespace = '' } = claim.metadata;
    const stored = this.#objects.of(PODS).get(pathOf(namespace, owner.podName));
    if (stored === undefined) return undefined;
    const pod = this.#parsedPod(stored);
    if (pod.metadata.uid !== owner.podUid) return undefined;
    const named = claimNamedBy(pod);
    const isByOrder = named === undefined;
    const isOfPod = isByOrder ? this.#isFirst(namespace, name, owner) : named === name;
    return isOfPod ? { pod, stored, isByOrder } : undefined;
  }

  /** A claim that is not there yet comes behind all that are. */
  #isFirst(namespace: string, name: string, { podUid }: ClaimOwner): boolean {
    const first = this.#groups.get(pathOf(namespace, podUid))?.first;
    return first === undefined || first.path === pathOf(namespace, name);
  }

  #ownClaimOf(podPath: string): MadeClaim | undefined {
    const stored = this.#objects.of(PODS).get(podPath);
    if (stored === undefined) return undefined;
    const pod = this.#parsedPod(stored);
    const namespace = namespaceOf(podPath);
    const group = pathOf(namespace, pod.metadata.uid ?? '');
    const named = claimNamedBy(pod);
    const claim =
      named === undefined
        ? this.#groups.get(group)?.first
        : this.#made.get(pathOf(namespace, named));
    return claim?.podPath === podPath && claim.group === group ? claim : undefined;
  }

  /** Many claims may ask for the same pod one after another. */
  #parsedPod(stored: StoredObject): Pod {
    if (this.#lastPod?.stored !== stored) {
      this.#lastPod = { stored, pod: parsedObject(stored) as ObjectOf<Pod> }; // Stored as one.
    }
    return this.#lastPod.pod;
  }

  #replace(path: string, after: MadeClaim | undefined): void {
    const before = this.#made.get(path);
    if (before !== undefined && after !== undefined && isSame(before, after)) return;
    if (before !== undefined) this.#remove(before);
    if (after === undefined) return;
    this.#made.set(path, after);
    const others = this.#byPod.get(after.podPath) ?? new Set();
    this.#byPod.set(after.podPath, others.add(path));
    const group = this.#groups.get(after.group) ?? new ClaimGroup();
    this.#groups.set(after.group, group);
    const first = group.first;
    group.add(after);
    this.#touch(after, first);
  }

  #remove(claim: MadeClaim): void {
    const { path, podPath, group: key } = claim;
    this.#made.delete(path);
    const others = this.#byPod.get(podPath);
    others?.delete(path);
    if (others?.size === 0) this.#byPod.delete(podPath);
    const group = this.#groups.get(key);
    if (group?.delete(claim) === 0) this.#groups.delete(key);
    this.#touch(claim, group?.first);
  }

  #touch(...claims: readonly (MadeClaim | undefined)[]): void {
    for (const claim of claims) if (claim !== undefined) this.#touched.add(claim.podPath);
  }

  #clear(): void {
    this.#noted.clear();
    this.#made.clear();
    this.#byPod.clear();
    this.#groups.clear();
    this.#touched.clear();
    this.#ownClaims.clear();
    this.#lastPod = undefined;
  }
}

/** The claims that name the same pod. */
class ClaimGroup {
  readonly #claims = new Map<string, MadeClaim>();
  #first: MadeClaim | undefined;

  get first(): MadeClaim | undefined {
    return this.#first;
  }

  add(claim: MadeClaim): void {
    this.#claims.set(claim.path, claim);
    if (this.#first === undefined || isBefore(claim, this.#first)) this.#first = claim;
  }

  /** @returns how many are left. */
  delete(claim: MadeClaim): number {
    this.#claims.delete(claim.path);
    if (this.#first?.path === claim.path) {
      this.#first = undefined;
      for (const one of this.#claims.values()) {
        if (this.#first === undefined || isBefore(one, this.#first)) this.#first = one;
      }
    }
    return this.#claims.size;
  }
}

function isSame(a: MadeClaim, b: MadeClaim): boolean {
  return a.podPath === b.podPath && a.group === b.group && a.createdAt === b.createdAt;
}

function isBefore(a: MadeClaim, b: MadeClaim): boolean {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt;
  return a.name < b.name;
}

function madeClaim(path: string, metadata: ObjectMeta): MadeClaim | undefined {
  const owner = claimOwner({ metadata });
  if (owner === undefined) return undefined;
  const namespace = namespaceOf(path);
  return {
    path,
    name: nameOf(path),
    createdAt: metadata.creationTimestamp ?? '',
    podPath: pathOf(namespace, owner.podName),
    group: pathOf(namespace, owner.podUid),
  };
}
