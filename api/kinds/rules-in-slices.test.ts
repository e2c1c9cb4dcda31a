/**
 * The law of rules in slices: wherever the reading, the defaults, the rules and the warnings of a kind
 * may pause, they come to what they come to at once. Here they pause wherever they can.
 */
import { describe, expect, it } from 'vitest';
import { pausedEverywhere } from '../json/paused-everywhere.fixture.ts';
import { admissionRuleCases } from './rule-cases/admission-rules.fixture.ts';
import { batchCases } from './rule-cases/batch.fixture.ts';
import { certificatesCases } from './rule-cases/certificates.fixture.ts';
import { coreClaimsCases } from './rule-cases/core-claims.fixture.ts';
import { coreClusterCases } from './rule-cases/core-cluster.fixture.ts';
import { coreDataCases } from './rule-cases/core-data.fixture.ts';
import { coreServicesCases } from './rule-cases/core-services.fixture.ts';
import { deviceRuleCases } from './rule-cases/device-rules.fixture.ts';
import { judge, received, type RuleCase } from './rule-cases/judge.fixture.ts';
import { networkAndStorageCases } from './rule-cases/network-and-storage.fixture.ts';
import { networkRuleCases } from './rule-cases/network-rules.fixture.ts';
import { optionalGroupCases } from './rule-cases/optional-groups.fixture.ts';
import { optionalCases } from './rule-cases/optional-kinds.fixture.ts';
import { gatedPodCases } from './rule-cases/gated-pods.fixture.ts';
import { podCertificateCases } from './rule-cases/pod-certificates.fixture.ts';
import { podResizeCases } from './rule-cases/pod-resize.fixture.ts';
import { podUpdatesCases } from './rule-cases/pod-updates.fixture.ts';
import { podsCases } from './rule-cases/pods.fixture.ts';
import { policyAndAccessCases } from './rule-cases/policy-and-access.fixture.ts';
import { policyRuleCases } from './rule-cases/policy-rules.fixture.ts';
import { privilegedPodsCases } from './rule-cases/privileged-pods.fixture.ts';
import { storageRuleCases } from './rule-cases/storage-rules.fixture.ts';
import { workloadsCases } from './rule-cases/workloads.fixture.ts';

const CASES: readonly RuleCase[] = [
  ...[...admissionRuleCases, ...batchCases, ...certificatesCases, ...coreClaimsCases],
  ...[...coreClusterCases, ...coreDataCases, ...coreServicesCases, ...deviceRuleCases],
  ...[...networkAndStorageCases, ...networkRuleCases, ...podUpdatesCases, ...podsCases],
  ...[...policyAndAccessCases, ...policyRuleCases, ...privilegedPodsCases, ...storageRuleCases],
  ...[
    ...workloadsCases,
    ...podResizeCases,
    ...optionalCases,
    ...optionalGroupCases,
    ...gatedPodCases,
    ...podCertificateCases,
  ],
];

describe('rules in slices', () => {
  it.each(CASES.map((rule) => [rule.when, rule] as const))('when %s', (_when, rule) => {
    const old = rule.old === undefined ? undefined : received(rule.old);

    expect(judge(rule, old, pausedEverywhere)).toEqual(judge(rule, old));
  });
});
