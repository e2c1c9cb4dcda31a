/**
 * Puts right what services hold where they were written by a server that gave no addresses, and where
 * a fork begins between a service and its claims. Each change requires the service as it was looked
 * at, so two servers that do this at the same time, or a client that writes meanwhile, disturb nothing.
 *
 * In Kubernetes: the repair controllers of registry/core/service, which run on and on.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { parsedKind } from '../../../projections/objects/stored-kinds.ts';
import { pathOf, type Requirement } from '../../../streams/event.ts';
import type { Change, Companion } from '../commit/change.ts';
import type { Commit, Committer } from '../commit/committer.ts';
import {
  claimsOf,
  IP_ADDRESSES,
  isOwnClaim,
  newClaim,
  NODE_PORTS,
  parentOf,
  releasedClaim,
  SERVICES,
  type ClaimParts,
} from './service-claims.ts';

interface LeftoverParts extends ClaimParts {
  readonly objects: ObjectView;
  readonly committer: Pick<Committer, 'commit'>;
}

const WRITE_TIMEOUT_MS = 30_000;

/** Resolves when all services hold what they say and nothing is held for others. */
export async function claimLeftovers(parts: LeftoverParts): Promise<void> {
  const { objects } = parts;
  const changes: Promise<Commit>[] = [];
  const held = new Set<string>();
  for (const stored of objects.of(SERVICES).inOrder('')) {
    const service = parsedKind('v1/services', stored);
    const { resource, path } = stored;
    const required = { resource, path, resourceVersion: stored.resourceVersion };
    for (const key of claimsOf(service)) {
      held.add(`${path} ${key.resource} ${key.path}`);
      if (objects.get(key.resource, key.path) !== undefined) continue;
      changes.push(commit(parts, newClaim(key, service, parts), required));
    }
  }
  for (const resource of [IP_ADDRESSES, NODE_PORTS]) {
    for (const stored of objects.of(resource).inOrder('')) {
      const parent = isOwnClaim(resource, stored.labels) ? parentOf(stored) : undefined;
      if (parent === undefined) continue;
      const path = pathOf(parent.namespace, parent.name);
      if (held.has(`${path} ${resource} ${stored.path}`)) continue;
      const version = objects.versionOf(SERVICES, path);
      const required = { resource: SERVICES, path, resourceVersion: version };
      changes.push(commit(parts, releasedClaim(stored, parts.clock), required));
    }
  }
  const commits = await Promise.all(changes);
  // What was overtaken was changed by a server that knows of claims.
  const failed = commits.find(({ kind }) => kind !== 'committed' && kind !== 'overtaken');
  if (failed !== undefined) throw new Error(`claims of services were not written: ${failed.kind}`);
}

function commit(
  { committer, clock }: LeftoverParts,
  change: Companion,
  required: Requirement,
): Promise<Commit> {
  const origin = originAt(clock);
  return new Promise((resolve) => {
    committer.commit({ ...change, requires: [...change.requires, required], origin }, resolve);
  });
}

function originAt(clock: Clock): Change['origin'] {
  return {
    user: 'system:apiserver',
    verb: 'update',
    auditID: '',
    fieldManager: 'kube-apiserver',
    deadline: clock.now() + WRITE_TIMEOUT_MS,
  };
}
