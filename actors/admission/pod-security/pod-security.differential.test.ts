/**
 * Pods against every level of every version, as Kubernetes' own code judges them: the pods of its
 * own tests, and made-up ones. And labels of namespaces, as it reads them.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { StringMap } from '../../../api/meta/object-meta.ts';
import { goOracle } from '../../../api/patch/go-oracle.fixture.ts';
import { formatFieldErrors } from '../../../api/field/field-errors.ts';
import { formatLevel, policyOf } from './levels.ts';
import {
  anyPod,
  LEVELS,
  ourVerdicts,
  plain,
  RECORDED_PODS,
  recordedVerdicts,
  some,
  VERSIONS,
  type Pod,
  type Verdict,
} from './made-up-pods.fixture.ts';

const oracle = await goOracle('pod-security');
const MADE_UP = 400;

function theirVerdicts(pods: readonly Pod[]): Verdict[][] {
  const asked = pods.map((pod) => ({ pod, versions: VERSIONS }));
  return (oracle?.<{ verdicts: Verdict[] }>(asked) ?? []).map(({ verdicts }) => verdicts);
}

/** @returns how many evaluations were compared. */
function compare(pods: readonly Pod[]): number {
  const theirs = theirVerdicts(pods);
  let count = 0;
  for (const [index, one] of pods.entries()) {
    const ours = ourVerdicts(one);
    count += ours.length;
    expect(ours, JSON.stringify(one)).toEqual(theirs[index]);
  }
  return count;
}

describe.skipIf(oracle === undefined)('pod security', () => {
  it('finds what Kubernetes finds in the pods of its own tests', { timeout: 900_000 }, () => {
    const [answer] = oracle?.<{ pods: Pod[] }>([{ ask: 'fixtures' }]) ?? [];
    // Most are the same in all versions.
    const different = [...new Set((answer?.pods ?? []).map((one) => JSON.stringify(one)))];
    const count = compare(different.map((one) => JSON.parse(one) as Pod));
    expect(count).toBeGreaterThan(5_000);
  });

  it('finds what Kubernetes finds in pods that no user would make', { timeout: 900_000 }, () => {
    const pods = fc.sample(anyPod, MADE_UP).map((one) => plain(one) as Pod);
    expect(compare(pods)).toBe(MADE_UP * LEVELS.length * VERSIONS.length);
  });

  it('reads the labels of namespaces as Kubernetes does', { timeout: 900_000 }, () => {
    const level = fc.constantFrom('privileged', 'baseline', 'restricted', 'strict', '');
    const version = fc.constantFrom(
      'latest',
      'v1.0',
      'v1.24',
      'v1.99',
      'v1.01',
      '1.24',
      'v2.0',
      '',
    );
    const entries = ['enforce', 'audit', 'warn'].flatMap((mode) => [
      [`pod-security.kubernetes.io/${mode}`, some(level)] as const,
      [`pod-security.kubernetes.io/${mode}-version`, some(version)] as const,
    ]);
    const labels = fc.record(Object.fromEntries(entries) as Record<string, (typeof entries)[0][1]>);
    const cases = fc.sample(fc.tuple(labels, fc.constantFrom(...LEVELS)), 1_000).map(plain);
    const asked = cases.map(([own, otherwise]) => {
      return { ask: 'labels', labels: own, default: otherwise };
    });
    const ours = cases.map(([own, otherwise]) => {
      const at = { level: otherwise, version: 'latest' } as const;
      const { policy, errors } = policyOf(own as StringMap, {
        ...{ enforce: at, audit: at, warn: at },
      });
      return {
        enforce: formatLevel(policy.enforce),
        audit: formatLevel(policy.audit),
        warn: formatLevel(policy.warn),
        errors: errors.length === 0 ? '' : formatFieldErrors(errors),
      };
    });
    expect(ours).toEqual(oracle?.(asked));
  });

  it('finds what is recorded', { timeout: 900_000 }, () => {
    const theirs = theirVerdicts(RECORDED_PODS).map((verdicts) => [verdicts]);
    expect(recordedVerdicts.confirm(theirs)).toEqual([]);
  });
});
