/**
 * What a watch is to show, decided by the registry and carried out at the door.
 */
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import type { ProjectedResource } from '../../projections/resource-views.ts';
import type { Selection } from '../../projections/objects/selection.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

export interface WatchPlan {
  /** The views it looks at: of this control plane, whichever it is. */
  readonly resource: ProjectedResource;
  readonly applied: AppliedVersion;
  readonly selection: Selection;
  /**
   * Where it begins: behind a version of the past, or with the objects as ADDED events followed by
   * what came and comes after them: those of now, or those of a moment of the past.
   */
  readonly start: {
    readonly kind: 'after' | 'current' | 'past';
    readonly version: ResourceVersion;
  };
  /**
   * When it was that a client would have seen this version: milliseconds since 1970, from which
   * ages are told. undefined: ages are told from now.
   */
  readonly seenAt?: (version: ResourceVersion) => number;
  /** Whether the initial ADDED events are followed by a bookmark that says so. */
  readonly endOfInitialEvents: boolean;
  readonly bookmarks: boolean;
  /** Milliseconds from now. */
  readonly timeoutMs: number;
}
