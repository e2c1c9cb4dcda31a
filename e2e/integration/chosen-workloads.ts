/** Workloads, networks and storage, whose tests run Kubernetes' controllers against the server. */
import { ALWAYS_ON, type ChosenPackage, EMULATED, ETCD, TWO_SERVERS } from './chosen-package.ts';

/** The packages of workloads, networks and storage. */
export const WORKLOADS: readonly ChosenPackage[] = [
  { name: 'cronjob', leftOut: [] },
  { name: 'daemonset', leftOut: [] },
  { name: 'deployment', leftOut: [] },
  { name: 'disruption', leftOut: [{ why: ETCD, tests: ['/v1beta1'] }] },
  {
    name: 'dualstack',
    leftOut: [{ why: EMULATED, tests: ['TestCreateService/DisableAllocatorDualWrite=false'] }],
  },
  { name: 'endpointslice', leftOut: [] },
  { name: 'garbagecollector', leftOut: [] },
  {
    name: 'job',
    leftOut: [
      {
        why: EMULATED,
        tests: [
          ...['TestSuccessPolicy_ReEnabling', 'TestBackoffLimitPerIndex_Reenabling'],
          ...['TestManagedBy_Reenabling', 'TestDelayTerminalPhaseCondition'],
          'TestJobPodReplacementPolicyFeatureToggling',
        ],
      },
      { why: ALWAYS_ON, tests: ['TestUpdateJobPodResources/gate_disabled'] },
    ],
  },
  {
    name: 'node',
    leftOut: [{ why: EMULATED, tests: ['TestEvictionForNoExecuteTaintAddedByUser'] }],
  },
  {
    name: 'podgc',
    leftOut: [
      {
        why: EMULATED,
        tests: ['TestTerminatingOnOutOfServiceNode/(phase_changed|no_finalizer)'],
      },
    ],
  },
  {
    name: 'pods',
    leftOut: [
      { why: EMULATED, tests: ['TestPodTopologyLabels', 'TestRelaxedDNSSearchValidation'] },
    ],
  },
  { name: 'replicaset', leftOut: [] },
  { name: 'replicationcontroller', leftOut: [] },
  {
    name: 'service',
    leftOut: [
      { why: EMULATED, tests: ['Test_ServiceValidation_FeatureGateEnableDisable'] },
      { why: ETCD, tests: ['Test_UpgradeService'] },
    ],
  },
  {
    name: 'servicecidr',
    leftOut: [
      {
        why: EMULATED,
        tests: [
          ...['TestServiceAllocation', 'TestSkewAllocatorsRollout'],
          'TestEnableDisableServiceCIDR',
        ],
      },
      { why: ETCD, tests: ['TestMigrateService$'] },
      { why: TWO_SERVERS, tests: ['TestMigrateServiceCIDR'] },
    ],
  },
  { name: 'statefulset', leftOut: [] },
  { name: 'ttlcontroller', leftOut: [] },
  {
    name: 'volume',
    leftOut: [
      {
        why: EMULATED,
        tests: ['TestPersistentVolumeClaimVolumeAttirbutesClassName/(dropped|#01)'],
      },
    ],
  },
];
