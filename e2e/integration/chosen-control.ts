/** Rights, certificates and the control plane itself. */
import {
  ALWAYS_ON,
  BY_WEBHOOK,
  type ChosenPackage,
  ETCD,
  IN_PROCESS,
  OWN_ADMISSION,
  TWO_SERVERS,
} from './chosen-package.ts';

/** The packages of rights, certificates and the control plane. */
export const CONTROL: readonly ChosenPackage[] = [
  {
    name: 'auth',
    leftOut: [
      {
        why: BY_WEBHOOK,
        tests: [
          ...['TestSubjectAccessReview', 'TestSelfSubjectAccessReview'],
          ...['TestLocalSubjectAccessReview', 'TestGetsSelfAttributes'],
        ],
      },
      { why: ETCD, tests: ['TestRBAC$', 'TestRBACContextContamination'] },
      { why: IN_PROCESS, tests: ['TestMultiWebhookAuthzConfig'] },
      { why: OWN_ADMISSION, tests: ['TestConstrainedImpersonation$'] },
      {
        why: ALWAYS_ON,
        tests: ['TestServiceAccountTokenCreate/disabled$'],
      },
    ],
  },
  { name: 'certificates', leftOut: [{ why: IN_PROCESS, tests: ['TestCSRDuration'] }] },
  {
    name: 'clustertrustbundles',
    leftOut: [{ why: IN_PROCESS, tests: ['TestClusterTrustBundlesPublisherController'] }],
  },
  {
    name: 'controlplane',
    leftOut: [
      { why: ETCD, tests: ['TestCRDOpenAPI'] },
      { why: IN_PROCESS, tests: ['TestLeaseGarbageCollection', 'TestGenericControlplaneStartUp'] },
      {
        why: TWO_SERVERS,
        tests: ['TestMultiAPIServerNodePortAllocation', 'TestReconcilerAPIServerLease'],
      },
      {
        why: 'wants objects to be refused at 1.5 MB, which is a limit of etcd',
        tests: ['TestObjectSizeResponses'],
      },
    ],
  },
  { name: 'controlplane/audit', leftOut: [] },
  {
    name: 'controlplane/transformation',
    leftOut: [
      {
        why: ETCD,
        tests: ['TestKMSv2(Provider|Feature)', 'TestDefaultValues', 'Corrupt|Malformed'],
      },
      { why: ETCD, tests: ['TestEncrypt', 'TestSecretsShouldBeTransformed'] },
      { why: IN_PROCESS, tests: ['TestKMSv2SingleService'] },
      {
        why: 'wants plug-ins of KMS v1, which are deprecated and not there',
        tests: ['TestKMS(Provider|Healthz)'],
      },
    ],
  },
  { name: 'namespace', leftOut: [] },
  { name: 'podcertificaterequests', leftOut: [] },
  { name: 'quota', leftOut: [] },
  { name: 'serviceaccount', leftOut: [] },
  {
    name: 'storageversion',
    leftOut: [{ why: IN_PROCESS, tests: ['TestStorageVersionBootstrap'] }],
  },
];
