/**
 * What upstream's discovery says of every built-in resource: those that a default server serves, and
 * those of beta and alpha versions, which `--runtime-config` switches on. Facts only: which of them this server serves is decided where the served resources are built.
 * Kinds that are answered and never stored (TokenReview) are here too; their verbs tell.
 */
import { FORK_RESOURCE } from '../everwatch/fork-facts.ts';
import { readGenerated } from '../generated/read-generated.ts';

/** A subresource of a built-in resource, as discovery shows it. */
export interface SubresourceFacts {
  /** `status`, without the resource. */
  readonly name: string;
  /** What it speaks: `Scale` of autoscaling/v1 for `deployments/scale`. */
  readonly kind: string;
  /** Of the kind that it takes, which may be another group than the resource's. */
  readonly group: string;
  /** Of the kind that it takes. */
  readonly version: string;
  /** As discovery shows them, in order. */
  readonly verbs: readonly string[];
  /** Of the kind that it takes: `io.k8s.api.autoscaling.v1.Scale`. */
  readonly typeId: string;
}

/** A resource of one group version. */
export interface ResourceFacts {
  /** '' for the legacy group. */
  readonly group: string;
  /** As in a path: `v1`. */
  readonly version: string;
  /** The plural, as in the URL. */
  readonly resource: string;
  /** As discovery shows it. */
  readonly singular: string;
  /** As objects say it. */
  readonly kind: string;
  /** '' when it cannot be listed. */
  readonly listKind: string;
  /** False for cluster scope. */
  readonly namespaced: boolean;
  /** In upstream's order. */
  readonly verbs: readonly string[];
  /** As kubectl takes them: `po`. */
  readonly shortNames: readonly string[];
  /** As kubectl takes them: `all`. */
  readonly categories: readonly string[];
  /** The name of its schema: `io.k8s.api.core.v1.Pod`. */
  readonly typeId: string;
  /** '' when it cannot be listed. */
  readonly listTypeId: string;
  /** In the order of discovery. */
  readonly subresources: readonly SubresourceFacts[];
  /** Absent for what is not stored. */
  readonly storageVersionHash?: string;
  /**
   * OpenAPI says that a DELETE of one object is answered with the object and not with a Status.
   * (A namespace is answered too, though OpenAPI has never said so.)
   */
  readonly returnedByDelete?: true;
}

let facts: readonly ResourceFacts[] | undefined;

function upstreamFacts(): readonly ResourceFacts[] {
  // The file is ours, written by tools/generate, whose test holds it to this shape.
  facts ??= JSON.parse(readGenerated('resources.json')) as ResourceFacts[];
  return facts;
}

const STABLE = /^v\d+$/;

/** Whether a server that is told nothing serves that version of a built-in group. */
export function isOnByDefault({
  group,
  version,
}: Pick<ResourceFacts, 'group' | 'version'>): boolean {
  return STABLE.test(version) || group === FORK_RESOURCE.group;
}

/**
 * All that a default server of upstream's serves, groups and versions in upstream's order; read from
 * disk on the first call.
 */
export function resourceFacts(): readonly ResourceFacts[] {
  return upstreamFacts().filter(isOnByDefault);
}

/** With those of beta and alpha versions, and behind them those of the kinds that upstream has not. */
export function allResourceFacts(): readonly ResourceFacts[] {
  return [...upstreamFacts(), FORK_RESOURCE];
}
