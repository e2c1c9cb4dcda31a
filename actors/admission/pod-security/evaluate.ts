/**
 * A pod against a level as some version of Kubernetes had it. Which checks that are is worked out
 * once for each version; from the last one on that changed something they are the same.
 *
 * In Kubernetes: NewEvaluator and AggregateCheckResults, k8s.io/pod-security-admission/policy.
 */
import { compareGoStrings } from '../../../api/json/go-format.ts';
import { mapItems } from '../../../api/json/work-in-slices.ts';
import { BASELINE_CHECKS } from './baseline-checks.ts';
import type { Check, CheckedPod, CheckPod, CheckVersion, Finding } from './check.ts';
import type { LevelVersion } from './levels.ts';
import { PROFILE_CHECKS } from './profile-checks.ts';
import { RESTRICTED_CHECKS } from './restricted-checks.ts';

const CHECKS = [...BASELINE_CHECKS, ...PROFILE_CHECKS, ...RESTRICTED_CHECKS].sort((a, b) =>
  compareGoStrings(a.id, b.id),
);
const OF_BASELINE = CHECKS.filter(({ level }) => level === 'baseline');
const OF_RESTRICTED = CHECKS.filter(({ level }) => level === 'restricted');

/** The last minor version that changed something. */
const VERSION_MAX = Math.max(
  ...CHECKS.flatMap(({ versions }) => versions.map(({ since }) => since)),
);

interface ChecksOfVersion {
  readonly baseline: readonly CheckPod[];
  readonly restricted: readonly CheckPod[];
}

const BY_VERSION: readonly ChecksOfVersion[] = Array.from({ length: VERSION_MAX + 1 }, (_, minor) =>
  checksOf(minor),
);

function checksOf(minor: number): ChecksOfVersion {
  const baseline = activeIn(OF_BASELINE, minor);
  const restricted = activeIn(OF_RESTRICTED, minor);
  const overridden = new Set(restricted.flatMap(({ version }) => version.overrides ?? []));
  const kept = baseline.filter(({ id }) => !overridden.has(id));
  return {
    baseline: baseline.map(({ version }) => version.check),
    restricted: [...kept, ...restricted].map(({ version }) => version.check),
  };
}

function activeIn(checks: readonly Check[], minor: number) {
  return checks.flatMap(({ id, versions }) => {
    const version: CheckVersion | undefined = versions.findLast(({ since }) => since <= minor);
    return version === undefined ? [] : [{ id, version }];
  });
}

/** What is wrong with the pod; those of baseline first. */
export function evaluatePod({ level, version }: LevelVersion, pod: CheckedPod): Finding[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? VERSION_MAX : Math.min(version, VERSION_MAX);
  const checks = BY_VERSION[minor]?.[level] ?? [];
  return mapItems(checks, (check) => check(pod)).filter((finding) => finding !== undefined);
}

/** `host namespaces, privileged` */
export function reasonsOf(findings: readonly Finding[]): string {
  return findings.map(({ reason }) => reason).join(', ');
}

/** `host namespaces (hostPID=true), privileged (container "a" must not …)` */
export function detailsOf(findings: readonly Finding[]): string {
  return findings
    .map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`))
    .join(', ');
}
