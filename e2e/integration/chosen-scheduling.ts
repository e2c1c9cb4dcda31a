/** The scheduler, what it schedules by, and other components that a test runs in its own process. */
import { ALPHA, ALWAYS_ON, type ChosenPackage, EMULATED } from './chosen-package.ts';

/** A gate of the server, which takes the nominated node from a pod that is bound. */
const KEEPS_NOMINATED = 'ClearingNominatedNodeNameAfterBinding:_false';
/** Gates of fields and operators that the server does not have. */
const COMPARES_TAINTS = '((Gt|Lt)_toleration|Gt_operator)';

/** Older releases are emulated by the scheduler alone. */
const SCHEDULER: readonly ChosenPackage[] = [
  { name: 'scheduler', leftOut: [{ why: ALPHA, tests: ['TestTaintTolerationGtLtIntegration'] }] },
  { name: 'scheduler/batch', leftOut: [] },
  { name: 'scheduler/bind', leftOut: [] },
  { name: 'scheduler/eventhandler', leftOut: [] },
  { name: 'scheduler/extender', leftOut: [] },
  {
    name: 'scheduler/filters',
    leftOut: [
      { why: ALPHA, tests: [`TestTaintTolerationFilter/${COMPARES_TAINTS}`] },
      {
        why: ALWAYS_ON,
        tests: [
          'TestPodAffinityMatchLabelKeyEnablement',
          'TestPodTopologySpreadFilter/matchLabelKeys_ignored',
        ],
      },
    ],
  },
  { name: 'scheduler/nominated_node_name', leftOut: [] },
  { name: 'scheduler/plugins', leftOut: [] },
  {
    name: 'scheduler/podgroup',
    leftOut: [
      {
        why: ALPHA,
        tests: [
          ...['TestPodGroupScheduling/(workload-aware|tas_gang)'],
          ...['TestWorkloadAwarePreemptionInvocation', 'TestPostFilterInvocationCount'],
        ],
      },
    ],
  },
  { name: 'scheduler/podgroup/admission', leftOut: [] },
  {
    name: 'scheduler/preemption',
    leftOut: [
      { why: ALPHA, tests: ['TestPodGroupPreemption'] },
      { why: ALWAYS_ON, tests: [`TestPreemption$/${KEEPS_NOMINATED}`] },
    ],
  },
  {
    name: 'scheduler/preemption/misc',
    leftOut: [
      { why: ALWAYS_ON, tests: [`TestPreemptionStarvation/${KEEPS_NOMINATED}`] },
      { why: ALWAYS_ON, tests: [`TestPreemptionRaces/${KEEPS_NOMINATED}`] },
    ],
  },
  { name: 'scheduler/preemption/nominatednodename', leftOut: [] },
  { name: 'scheduler/queueing', leftOut: [] },
  { name: 'scheduler/queueing/former', leftOut: [] },
  { name: 'scheduler/queueing/queueinghint', leftOut: [] },
  {
    name: 'scheduler/scoring',
    leftOut: [
      { why: ALPHA, tests: [`TestTaintTolerationScoring/${COMPARES_TAINTS}`] },
      { why: ALWAYS_ON, tests: ['TestPodTopologySpreadScoring/matchLabelKeys_ignored'] },
    ],
  },
  { name: 'scheduler/serving', leftOut: [] },
];

/** The packages of the scheduler, of devices, and of other components. */
export const SCHEDULING: readonly ChosenPackage[] = [
  { name: 'cloudprovider', leftOut: [] },
  { name: 'controllermanager', leftOut: [] },
  { name: 'dra', leftOut: [] },
  {
    name: 'dra/all',
    leftOut: [
      {
        why: 'compares the spaces within raw data, which here are not stored',
        tests: ['TestDRA/all/ResourceClaimDeviceStatus'],
      },
      {
        why: ALPHA,
        tests: [
          ...[
            'MaxResourceSlice/list-values',
            'DRANodeAllocatableResources',
            'WorkloadResourceClaims',
          ],
        ].map((name) => `TestDRA/all/${name}`),
      },
    ],
  },
  {
    name: 'dra/api',
    leftOut: [
      { why: EMULATED, tests: ['TestDRA/disabled'] },
      { why: ALWAYS_ON, tests: ['TestDRA/GA-opt-out'] },
    ],
  },
  { name: 'dra/default', leftOut: [] },
  { name: 'kubelet', leftOut: [] },
  ...SCHEDULER.map((one) => ({ ...one, staysCurrent: true })),
  { name: 'serving', leftOut: [] },
  { name: 'volumescheduling', leftOut: [] },
];
