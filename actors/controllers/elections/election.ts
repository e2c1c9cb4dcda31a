/**
 * Which of several candidates is to lead: the one that emulates the oldest version, so that nothing is
 * written during an upgrade that an older component does not know.
 *
 * In Kubernetes: election.go of kubernetes/pkg/controlplane/controller/leaderelection.
 */
import type { Lease } from '../../../api/generated/kinds/coordination-v1.ts';
import type { LeaseCandidate } from '../../../api/generated/kinds/coordination-v1beta1.ts';
import {
  compareVersions,
  isSemanticVersion,
} from '../../../api/kinds/coordination/semantic-version.ts';
import type { ObjectOf } from '../../../api/meta/object-meta.ts';

/** The one strategy by which this server chooses; others are left to other controllers. */
export const OLDEST_EMULATION_VERSION = 'OldestEmulationVersion';

export type Candidate = ObjectOf<LeaseCandidate>;

const MS_PER_SECOND = 1_000;

/** Milliseconds since 1970; undefined where there is no time. */
export function timeOf(time: string | null | undefined): number | undefined {
  return typeof time === 'string' ? Date.parse(time) : undefined;
}

/** Whether its holder has let it run out. */
export function isLeaseExpired({ spec }: ObjectOf<Lease>, now: number): boolean {
  const renewed = timeOf(spec.renewTime);
  const { leaseDurationSeconds: seconds } = spec;
  if (renewed === undefined || seconds === undefined) return true;
  return renewed + seconds * MS_PER_SECOND < now;
}

/**
 * The strategy of the candidate of the newest version; a sentence where candidates of that version have
 * different ones.
 */
export function chosenStrategy(
  candidates: readonly Candidate[],
): { readonly strategy: string } | string {
  const [first, ...others] = candidates;
  if (first === undefined) return 'no candidates';
  let best = first;
  for (const one of others) {
    const order = compareVersions(best.spec.binaryVersion, one.spec.binaryVersion);
    if (order < 0) best = one;
    else if (order === 0 && one.spec.strategy !== best.spec.strategy) {
      const [a, b] = [best, one].map(({ metadata }) => JSON.stringify(metadata.name ?? ''));
      const strategies = `${best.spec.strategy ?? ''}, ${one.spec.strategy ?? ''}`;
      return `candidates ${String(a)}, ${String(b)} at same binary version but received differing strategies ${strategies}`;
    }
  }
  return { strategy: best.spec.strategy ?? '' };
}

/** Of the oldest version that is emulated; then of the oldest binary; then the one that was first. */
export function chosenCandidate(candidates: readonly Candidate[]): Candidate | undefined {
  const valid = candidates.filter(
    ({ spec }) =>
      isSemanticVersion(spec.emulationVersion ?? '') && isSemanticVersion(spec.binaryVersion),
  );
  let best: Candidate | undefined;
  for (const one of valid) if (best === undefined || isBetter(one, best)) best = one;
  return best;
}

function isBetter(one: Candidate, best: Candidate): boolean {
  const order =
    compareVersions(best.spec.emulationVersion ?? '', one.spec.emulationVersion ?? '') ||
    compareVersions(best.spec.binaryVersion, one.spec.binaryVersion);
  if (order !== 0) return order > 0;
  return createdAt(one) < createdAt(best);
}

function createdAt({ metadata }: Candidate): number {
  return timeOf(metadata.creationTimestamp) ?? 0;
}
