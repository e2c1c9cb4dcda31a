import { describe, expect, it } from 'vitest';
import { admissionRuleCases } from './rule-cases/admission-rules.fixture.ts';
import { deviceRuleCases } from './rule-cases/device-rules.fixture.ts';
import { networkRuleCases } from './rule-cases/network-rules.fixture.ts';
import { policyRuleCases } from './rule-cases/policy-rules.fixture.ts';
import { storageRuleCases } from './rule-cases/storage-rules.fixture.ts';
import { batchCases } from './rule-cases/batch.fixture.ts';
import { certificatesCases } from './rule-cases/certificates.fixture.ts';
import { coreClaimsCases } from './rule-cases/core-claims.fixture.ts';
import { coreClusterCases } from './rule-cases/core-cluster.fixture.ts';
import { coreDataCases } from './rule-cases/core-data.fixture.ts';
import { coreServicesCases } from './rule-cases/core-services.fixture.ts';
import { judge, received, shownErrors, shownValues } from './rule-cases/judge.fixture.ts';
import { networkAndStorageCases } from './rule-cases/network-and-storage.fixture.ts';
import { optionalGroupCases } from './rule-cases/optional-groups.fixture.ts';
import { optionalCases } from './rule-cases/optional-kinds.fixture.ts';
import { gatedPodCases } from './rule-cases/gated-pods.fixture.ts';
import { podCertificateCases } from './rule-cases/pod-certificates.fixture.ts';
import { podResizeCases } from './rule-cases/pod-resize.fixture.ts';
import { podUpdatesCases } from './rule-cases/pod-updates.fixture.ts';
import { podsCases } from './rule-cases/pods.fixture.ts';
import { policyAndAccessCases } from './rule-cases/policy-and-access.fixture.ts';
import { privilegedPodsCases } from './rule-cases/privileged-pods.fixture.ts';
import { workloadsCases } from './rule-cases/workloads.fixture.ts';

describe.each([
  ['ConfigMaps, Secrets and service accounts', coreDataCases],
  ['namespaces, nodes, volumes, quotas and events', coreClusterCases],
  ['claims', coreClaimsCases],
  ['services', coreServicesCases],
  ['new pods', podsCases],
  ['pods that change', podUpdatesCases],
  ['pods that are resized', podResizeCases],
  ['kinds that are off by default', optionalCases],
  ['groups that are off by default', optionalGroupCases],
  ['fields of features', gatedPodCases],
  ['certificates of pods', podCertificateCases],
  ['privileged pods', privilegedPodsCases],
  ['workloads', workloadsCases],
  ['jobs and cron jobs', batchCases],
  ['autoscalers, budgets, roles, classes and leases', policyAndAccessCases],
  ['networking and storage', networkAndStorageCases],
  ['certificate signing requests', certificatesCases],
  ['networking that is wrong', networkRuleCases],
  ['storage that is wrong', storageRuleCases],
  ['webhooks and policies that are wrong', admissionRuleCases],
  ['scaling, budgets, flows and roles that are wrong', policyRuleCases],
  ['devices and certificates that are wrong', deviceRuleCases],
])('the rules of %s', (_kinds, cases) => {
  it.each(cases.map((rule) => [rule.when, rule] as const))('when %s', (_when, rule) => {
    const old = rule.old === undefined ? undefined : received(rule.old);
    const judgement = judge(rule, old);
    if (judgement === undefined) throw new Error('it does not decode');
    expect(shownErrors(judgement.errors)).toEqual(rule.errors);
    expect(judgement.warnings).toEqual(rule.warnings ?? []);
    const { shows = {} } = rule;
    expect(shownValues(judgement.object, Object.keys(shows))).toEqual(shows);
  });
});
