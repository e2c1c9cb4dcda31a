/**
 * Chooses, among the candidates for a Lease, which component is to lead: it asks them whether they are
 * there, and makes the Lease of the one that emulates the oldest version. A leader for whom there is a
 * better candidate is told so by `preferredHolder`, and gives way by itself.
 *
 * The surprise: kube-apiserver elects the server that does this. Here every server of a log does it: what
 * they write says which version it is about, so the first counts and the others look again.
 *
 * In Kubernetes: kubernetes/pkg/controlplane/controller/leaderelection.
 */
import type { Lease } from '../../../api/generated/kinds/coordination-v1.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import type { ObjectOf } from '../../../api/meta/object-meta.ts';
import { parsedKind, storedKind } from '../../../projections/objects/stored-kinds.ts';
import { nameOf, namespaceOf, pathOf, type CommittedEvent } from '../../../streams/event.ts';
import { deleteExactly, outcomeOf, type ControllerParts } from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome, type WorkQueue } from '../work-queue.ts';
import {
  type Candidate,
  chosenCandidate,
  chosenStrategy,
  isLeaseExpired,
  OLDEST_EMULATION_VERSION,
  timeOf,
} from './election.ts';

const LEASES = 'coordination.k8s.io/leases';
const CANDIDATES = 'coordination.k8s.io/leasecandidates';
/** How long candidates have to answer, and how often a Lease is looked at. */
const ELECTION_MS = 5_000;
const LEASE_SECONDS = 5;
/** A candidate that was not heard of for so long is none, and is removed. */
const CANDIDATE_MS = 30 * 60_000;
const COLLECTION_MS = CANDIDATE_MS;

/** What it needs of its control plane. */
export type ElectionParts = Pick<
  ControllerParts,
  'clock' | 'faults' | 'listen' | 'loopback' | 'objects'
>;

const readCandidate = storedKind('coordination.k8s.io/v1beta1/leasecandidates');
const readLease = storedKind('coordination.k8s.io/v1/leases');

/** It listens from now on, and looks at every candidate that is there. */
export function startLeaderElection(parts: ElectionParts): { stop(): Promise<void> } {
  const elections = new Elections(parts);
  parts.listen((event) => {
    elections.hear(event);
  });
  elections.begin();
  return elections;
}

class Elections {
  readonly #parts: ElectionParts;
  readonly #queue: WorkQueue;
  /** By the path of the Lease: when it is looked at again. */
  readonly #again = new Map<string, () => void>();
  #cancelCollection = (): void => undefined;
  #collecting = Promise.resolve();
  #isStopped = false;

  constructor(parts: ElectionParts) {
    this.#parts = parts;
    const work = (path: string): Promise<WorkOutcome> => this.#look(path);
    this.#queue = startWorkQueue({ name: 'leader-election', width: 1, work }, parts);
  }

  begin(): void {
    for (const candidate of this.#candidates('')) this.#queue.add(leaseOf(candidate));
    this.#collect();
  }

  /** A candidate that was asked just now is waited for. */
  hear({ resource, path, object }: CommittedEvent): void {
    if (resource === LEASES) this.#queue.add(path);
    if (resource !== CANDIDATES) return;
    const candidate = readCandidate(object);
    if (!isAsked(candidate)) this.#queue.add(leaseOf(candidate));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelCollection();
    for (const cancel of this.#again.values()) cancel();
    await this.#queue.stop();
    await this.#collecting;
  }

  #candidates(namespace: string): Candidate[] {
    const { objects } = this.#parts;
    return [...objects.of(CANDIDATES).inOrder(namespace)].map((one) => readCandidate(one));
  }

  #lookAgain(path: string): void {
    this.#again.get(path)?.();
    if (this.#isStopped) return;
    const cancel = this.#parts.clock.after(ELECTION_MS, () => {
      this.#again.delete(path);
      this.#queue.add(path);
    });
    this.#again.set(path, cancel);
  }

  /** One step: nothing, asking the candidates, or writing the Lease. */
  async #look(path: string): Promise<WorkOutcome> {
    const now = this.#parts.clock.now();
    const candidates = this.#candidates(namespaceOf(path)).filter(
      (one) => leaseOf(one) === path && !isGone(one, now),
    );
    if (candidates.length === 0) return 'done';
    this.#lookAgain(path);
    const stored = this.#parts.objects.get(LEASES, path);
    const lease = stored && readLease(stored);
    if (!isElectionNeeded(candidates, lease, now)) return 'done';
    const silent = candidates.filter((one) => isSilent(one, now));
    const outcomes = await Promise.all(silent.map((one) => this.#ask(one, now)));
    if (outcomes.includes('later')) return 'later';
    if (silent.length > 0 || candidates.some((one) => isWaitedFor(one, now))) return 'done';
    const heard = candidates.filter((one) => isHeard(one, now));
    return heard.length === 0 ? 'done' : this.#elect(path, heard);
  }

  async #ask({ metadata }: Candidate, now: number): Promise<WorkOutcome> {
    const { namespace = '', name = '' } = metadata;
    const { objects, loopback } = this.#parts;
    const stored = objects.get(CANDIDATES, pathOf(namespace, name));
    if (stored === undefined) return 'done';
    const candidate = parsedKind('coordination.k8s.io/v1beta1/leasecandidates', stored);
    const path = `${candidatesUrl(namespace)}/${name}`;
    const body = { ...candidate, spec: { ...candidate.spec, pingTime: microTimeOf(now) } };
    return settled(await loopback({ method: 'PUT', path, body }));
  }

  async #elect(path: string, candidates: readonly Candidate[]): Promise<WorkOutcome> {
    const { objects, clock, loopback } = this.#parts;
    const chosen = chosenStrategy(candidates);
    if (typeof chosen === 'string') throw new Error(`no leader for the Lease ${path}: ${chosen}`);
    const { strategy } = chosen;
    const isOurs = strategy === OLDEST_EMULATION_VERSION;
    const holder = isOurs ? chosenCandidate(candidates)?.metadata.name : undefined;
    const root = `/apis/coordination.k8s.io/v1/namespaces/${namespaceOf(path)}/leases`;
    const stored = objects.get(LEASES, path);
    if (stored === undefined) {
      const body = newLease(path, { strategy, holder, now: clock.now() });
      return settled(await loopback({ method: 'POST', path: root, body }));
    }
    const lease = parsedKind('coordination.k8s.io/v1/leases', stored);
    const spec = changedSpec(lease, { strategy, holder, now: clock.now() });
    if (spec === undefined) return 'done';
    const body = { ...lease, spec };
    return settled(await loopback({ method: 'PUT', path: `${root}/${nameOf(path)}`, body }));
  }

  /** Removes candidates that were not heard of for half an hour, now and from time to time. */
  #collect(): void {
    const { clock, faults } = this.#parts;
    this.#collecting = this.#removeGone()
      .catch((error: unknown) => {
        faults.record('removing candidates that are gone', error);
      })
      .then(() => {
        if (this.#isStopped) return;
        this.#cancelCollection = clock.after(COLLECTION_MS, () => {
          this.#collect();
        });
      });
  }

  async #removeGone(): Promise<void> {
    const now = this.#parts.clock.now();
    for (const { metadata } of this.#candidates('').filter((one) => isGone(one, now))) {
      const { namespace = '', name = '' } = metadata;
      const url = `${candidatesUrl(namespace)}/${name}`;
      await deleteExactly(this.#parts, url, metadata, 'Background');
    }
  }
}

function candidatesUrl(namespace: string): string {
  return `/apis/coordination.k8s.io/v1beta1/namespaces/${namespace}/leasecandidates`;
}

/** A write that lost a race, against another server or the candidate itself: what won it is heard of. */
function settled(answer: Parameters<typeof outcomeOf>[0]): WorkOutcome {
  return answer.kind === 'Status' && answer.status.code === 409 ? 'done' : outcomeOf(answer);
}

function leaseOf({ metadata: { namespace = '' }, spec }: Candidate): string {
  return pathOf(namespace, spec.leaseName);
}

function isGone({ spec }: Candidate, now: number): boolean {
  const renewed = timeOf(spec.renewTime);
  return renewed === undefined || renewed + CANDIDATE_MS < now;
}

/** It has not answered yet. */
function isAsked({ spec }: Candidate): boolean {
  const [asked, renewed] = [timeOf(spec.pingTime), timeOf(spec.renewTime)];
  return asked !== undefined && (renewed === undefined || renewed < asked);
}

/** It was asked, and may still answer. */
function isWaitedFor(candidate: Candidate, now: number): boolean {
  return isAsked(candidate) && (timeOf(candidate.spec.pingTime) ?? 0) + ELECTION_MS > now;
}

function isHeard({ spec }: Candidate, now: number): boolean {
  const renewed = timeOf(spec.renewTime);
  return renewed !== undefined && renewed + ELECTION_MS > now;
}

/** It is to be asked: it was not heard of lately, and answered when it was asked last. */
function isSilent(candidate: Candidate, now: number): boolean {
  const asked = timeOf(candidate.spec.pingTime);
  if (isHeard(candidate, now) || isWaitedFor(candidate, now)) return false;
  return asked === undefined || (asked + ELECTION_MS < now && !isAsked(candidate));
}

function isElectionNeeded(
  candidates: readonly Candidate[],
  lease: ObjectOf<Lease> | undefined,
  now: number,
): boolean {
  if (lease === undefined || isLeaseExpired(lease, now)) return true;
  const { holderIdentity = '' } = lease.spec;
  if (holderIdentity === '') return true;
  // All are asked every quarter of an hour, so that those that are there are not taken for gone.
  const isOld = ({ spec }: Candidate): boolean =>
    (timeOf(spec.renewTime) ?? now) + CANDIDATE_MS / 2 < now;
  if (candidates.some(isOld)) return true;
  const chosen = chosenStrategy(candidates);
  if (typeof chosen === 'string') throw new Error(chosen);
  if (chosen.strategy !== OLDEST_EMULATION_VERSION) return false;
  const best = chosenCandidate(candidates);
  return best !== undefined && best.metadata.name !== holderIdentity;
}

interface Election {
  readonly strategy: string;
  /** undefined: another controller names the holder. */
  readonly holder: string | undefined;
  readonly now: number;
}

function newLease(path: string, { strategy, holder, now }: Election): JsonObject {
  return {
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
    metadata: { name: nameOf(path), namespace: namespaceOf(path) },
    spec: {
      ...(holder !== undefined && { holderIdentity: holder }),
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: microTimeOf(now),
      strategy,
    },
  };
}

/** undefined: nothing changes. */
function changedSpec(
  lease: ObjectOf<Lease>,
  { strategy, holder, now }: Election,
): Lease['spec'] | undefined {
  const { acquireTime: _acquired, preferredHolder: _preferred, ...old } = lease.spec;
  const { holderIdentity = '' } = old;
  const isOther = holder !== undefined && holder !== holderIdentity;
  if (isOther && (holderIdentity === '' || isLeaseExpired(lease, now))) {
    const renewal = { leaseDurationSeconds: LEASE_SECONDS, renewTime: microTimeOf(now) };
    return { ...old, ...renewal, holderIdentity: holder, strategy };
  }
  const isPreferred = isOther && lease.spec.preferredHolder !== holder;
  if (lease.spec.strategy === strategy && !isPreferred) return undefined;
  return { ...lease.spec, strategy, ...(isOther && { preferredHolder: holder }) };
}

/** RFC 3339 with six digits behind the second. */
function microTimeOf(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
