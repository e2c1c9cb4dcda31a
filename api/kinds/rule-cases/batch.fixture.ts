/** What comes of writes of jobs and cron jobs. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { container, cronJob, job, meta, podSpec, storedJob } from './written-objects.fixture.ts';

export const batchCases: readonly RuleCase[] = [
  {
    when: 'a job is made',
    do: 'create',
    object: job(),
    errors: [],
    shows: {
      'metadata.generation': 1,
      'spec.selector': { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u-1' } },
      'spec.template.metadata.labels': {
        'job-name': 'one',
        'batch.kubernetes.io/job-name': 'one',
        'controller-uid': 'u-1',
        'batch.kubernetes.io/controller-uid': 'u-1',
      },
      'metadata.labels': {
        'job-name': 'one',
        'batch.kubernetes.io/job-name': 'one',
        'controller-uid': 'u-1',
        'batch.kubernetes.io/controller-uid': 'u-1',
      },
    },
  },
  {
    when: 'a job selects by itself',
    do: 'create',
    object: job({
      manualSelector: true,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: podSpec({ restartPolicy: 'Never' }) },
    }),
    errors: [],
    shows: {
      'spec.selector': { matchLabels: { a: 'b' } },
      'spec.template.metadata.labels': { a: 'b' },
    },
  },
  {
    when: 'a job chooses a label that is given',
    do: 'create',
    object: job({
      template: {
        metadata: { labels: { 'job-name': 'other' } },
        spec: podSpec({ restartPolicy: 'Never' }),
      },
    }),
    errors: [
      'spec.template.metadata.labels[job-name]: Invalid value: {"batch.kubernetes.io/controller-uid":"u-1","batch.kubernetes.io/job-name":"one","controller-uid":"u-1","job-name":"other"}: must be \'one\'',
    ],
  },
  {
    when: 'the pods of a job never end',
    do: 'create',
    object: job({ template: { spec: podSpec() } }),
    errors: [
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
  },
  {
    when: 'an indexed job has no end',
    do: 'create',
    object: job({ completionMode: 'Indexed', parallelism: 100001 }),
    errors: [
      'spec.completions: Required value: when completion mode is Indexed',
      'spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
    ],
  },
  {
    when: 'a job counts below nothing',
    do: 'create',
    object: job({
      parallelism: -1,
      completions: -1,
      backoffLimit: -1,
      activeDeadlineSeconds: -1,
      ttlSecondsAfterFinished: -1,
    }),
    errors: [
      'spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
      'spec.completions: Invalid value: -1: must be greater than or equal to 0',
      'spec.activeDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0',
      'spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0',
    ],
  },
  {
    when: 'a job without indexes limits them',
    do: 'create',
    object: job({ backoffLimitPerIndex: 1, maxFailedIndexes: 1 }),
    errors: [
      'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
      'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
    ],
  },
  {
    when: 'the completions of a job change',
    do: 'update',
    old: storedJob({ completions: 1 }),
    object: storedJob({ completions: 2 }),
    errors: ['spec.completions: Invalid value: 2: field is immutable'],
  },
  {
    when: 'the indexes of a job grow with its pods',
    do: 'update',
    old: storedJob({ completionMode: 'Indexed', completions: 1, parallelism: 1 }),
    object: storedJob({ completionMode: 'Indexed', completions: 2, parallelism: 2 }),
    errors: [],
  },
  {
    when: 'the indexes of a job grow alone',
    do: 'update',
    old: storedJob({ completionMode: 'Indexed', completions: 1, parallelism: 1 }),
    object: storedJob({ completionMode: 'Indexed', completions: 2, parallelism: 1 }),
    errors: [
      'spec.completions: Invalid value: 2: can only be modified in tandem with spec.parallelism',
    ],
  },
  {
    when: 'the template of a running job changes',
    do: 'update',
    old: storedJob(),
    object: storedJob({}, {}, { nodeSelector: { a: 'b' } }),
    errors: [
      'spec.template: Invalid value: {"labels":{"batch.kubernetes.io/controller-uid":"u-1","batch.kubernetes.io/job-name":"one","controller-uid":"u-1","job-name":"one"},"Spec":{"Volumes":null,"InitContainers":null,"Containers":[{"Name":"c","Image":"nginx:1","Command":null,"Args":null,"WorkingDir":"","Ports":null,"EnvFrom":null,"Env":null,"Resources":{"Limits":null,"Requests":null,"Claims":null},"ResizePolicy":null,"RestartPolicy":null,"RestartPolicyRules":null,"VolumeMounts":null,"VolumeDevices":null,"LivenessProbe":null,"ReadinessProbe":null,"StartupProbe":null,"Lifecycle":null,"TerminationMessagePath":"/dev/termination-log","TerminationMessagePolicy":"File","ImagePullPolicy":"IfNotPresent","SecurityContext":null,"Stdin":false,"StdinOnce":false,"TTY":false}],"EphemeralContainers":null,"RestartPolicy":"Never","TerminationGracePeriodSeconds":30,"ActiveDeadlineSeconds":null,"DNSPolicy":"ClusterFirst","NodeSelector":{"a":"b"},"ServiceAccountName":"","AutomountServiceAccountToken":null,"NodeName":"","SecurityContext":{"HostNetwork":false,"HostPID":false,"HostIPC":false,"ShareProcessNamespace":null,"HostUsers":null,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"SupplementalGroups":null,"SupplementalGroupsPolicy":null,"FSGroup":null,"FSGroupChangePolicy":null,"Sysctls":null,"SeccompProfile":null,"AppArmorProfile":null,"SELinuxChangePolicy":null},"ImagePullSecrets":null,"Hostname":"","Subdomain":"","SetHostnameAsFQDN":null,"Affinity":null,"SchedulerName":"default-scheduler","Tolerations":null,"HostAliases":null,"PriorityClassName":"","Priority":null,"PreemptionPolicy":null,"DNSConfig":null,"ReadinessGates":null,"RuntimeClassName":null,"Overhead":null,"EnableServiceLinks":null,"TopologySpreadConstraints":null,"OS":null,"SchedulingGates":null,"ResourceClaims":null,"Resources":null,"HostnameOverride":null,"SchedulingGroup":null}}: field is immutable',
    ],
  },
  {
    when: 'a suspended job is placed',
    do: 'update',
    old: storedJob({ suspend: true }),
    object: storedJob({ suspend: true }, {}, { nodeSelector: { a: 'b' } }),
    errors: [],
  },
  {
    when: 'a suspended job gets more',
    do: 'update',
    old: storedJob({ suspend: true }),
    object: storedJob(
      { suspend: true },
      {},
      { containers: [container({ resources: { requests: { cpu: '1' } } })] },
    ),
    errors: [],
  },
  {
    when: 'a suspended job gets another image',
    do: 'update',
    old: storedJob({ suspend: true }),
    object: storedJob({ suspend: true }, {}, { containers: [container({ image: 'other' })] }),
    errors: [
      'spec.template.spec: Invalid value: {"Volumes":null,"InitContainers":null,"Containers":[{"Name":"c","Image":"other","Command":null,"Args":null,"WorkingDir":"","Ports":null,"EnvFrom":null,"Env":null,"Resources":{"Limits":null,"Requests":null,"Claims":null},"ResizePolicy":null,"RestartPolicy":null,"RestartPolicyRules":null,"VolumeMounts":null,"VolumeDevices":null,"LivenessProbe":null,"ReadinessProbe":null,"StartupProbe":null,"Lifecycle":null,"TerminationMessagePath":"/dev/termination-log","TerminationMessagePolicy":"File","ImagePullPolicy":"Always","SecurityContext":null,"Stdin":false,"StdinOnce":false,"TTY":false}],"EphemeralContainers":null,"RestartPolicy":"Never","TerminationGracePeriodSeconds":30,"ActiveDeadlineSeconds":null,"DNSPolicy":"ClusterFirst","NodeSelector":null,"ServiceAccountName":"","AutomountServiceAccountToken":null,"NodeName":"","SecurityContext":{"HostNetwork":false,"HostPID":false,"HostIPC":false,"ShareProcessNamespace":null,"HostUsers":null,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"SupplementalGroups":null,"SupplementalGroupsPolicy":null,"FSGroup":null,"FSGroupChangePolicy":null,"Sysctls":null,"SeccompProfile":null,"AppArmorProfile":null,"SELinuxChangePolicy":null},"ImagePullSecrets":null,"Hostname":"","Subdomain":"","SetHostnameAsFQDN":null,"Affinity":null,"SchedulerName":"default-scheduler","Tolerations":null,"HostAliases":null,"PriorityClassName":"","Priority":null,"PreemptionPolicy":null,"DNSConfig":null,"ReadinessGates":null,"RuntimeClassName":null,"Overhead":null,"EnableServiceLinks":null,"TopologySpreadConstraints":null,"OS":null,"SchedulingGates":null,"ResourceClaims":null,"Resources":null,"HostnameOverride":null,"SchedulingGroup":null}: field is immutable',
    ],
  },
  {
    when: 'the selector of a job changes',
    do: 'update',
    old: storedJob({ manualSelector: true, selector: { matchLabels: { 'job-name': 'one' } } }),
    object: storedJob({
      manualSelector: true,
      selector: { matchLabels: { 'controller-uid': 'u-1' } },
    }),
    errors: [
      'spec.selector: Invalid value: {"matchLabels":{"controller-uid":"u-1"}}: field is immutable',
    ],
  },
  {
    when: 'the counters of a job fall',
    do: 'status',
    old: storedJob({}, { status: { succeeded: 2, failed: 2 } }),
    object: storedJob({}, { status: { succeeded: 1, failed: 1 } }),
    errors: [
      'status.failed: Invalid value: 1: cannot decrease the failed counter',
      'status.succeeded: Invalid value: 1: cannot decrease the succeeded counter',
    ],
  },
  {
    when: 'a job ends too early',
    do: 'status',
    old: storedJob({}, { status: { startTime: '2020-01-01T00:00:00Z' } }),
    object: storedJob(
      {},
      {
        status: {
          startTime: '2020-01-01T00:00:00Z',
          active: 1,
          conditions: [{ type: 'Complete', status: 'True' }],
        },
      },
    ),
    errors: [
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.active: Invalid value: 1: active>0 is invalid for finished job',
    ],
  },
  {
    when: 'a job is no longer complete',
    do: 'status',
    old: storedJob(
      {},
      {
        status: {
          completionTime: '2020-01-01T00:00:00Z',
          startTime: '2020-01-01T00:00:00Z',
          conditions: [
            { type: 'SuccessCriteriaMet', status: 'True' },
            { type: 'Complete', status: 'True' },
          ],
        },
      },
    ),
    object: storedJob({}, { status: { startTime: '2020-01-01T00:00:00Z' } }),
    errors: [
      'status.conditions: Invalid value: cannot disable the terminal Complete=True condition',
      'status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition',
    ],
  },
  {
    when: 'a cron job has no schedule',
    do: 'create',
    object: cronJob({ schedule: '' }),
    errors: ['spec.schedule: Required value'],
  },
  {
    when: 'a time zone is in the schedule',
    do: 'create',
    object: cronJob({ schedule: 'TZ=UTC * * * * *' }),
    errors: [
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  },
  {
    when: 'a time zone is unknown',
    do: 'create',
    object: cronJob({ timeZone: 'Nowhere/Never' }),
    errors: ['spec.timeZone: Invalid value: "Nowhere/Never": unknown time zone Nowhere/Never'],
  },
  {
    when: 'the name of a cron job is too long',
    do: 'create',
    object: cronJob({}, { metadata: meta({ name: 'a'.repeat(53) }) }),
    errors: [
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 52 characters',
    ],
  },
  {
    when: 'a cron job has unknown policies',
    do: 'create',
    object: cronJob({
      concurrencyPolicy: 'Perhaps',
      successfulJobsHistoryLimit: -1,
      startingDeadlineSeconds: -1,
    }),
    errors: [
      'spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.concurrencyPolicy: Unsupported value: "Perhaps": supported values: "Allow", "Forbid", "Replace"',
      'spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
    ],
  },
  {
    when: 'the template of a cron job selects',
    do: 'create',
    object: cronJob({
      jobTemplate: {
        spec: {
          manualSelector: true,
          selector: { matchLabels: { a: 'b' } },
          template: { spec: podSpec({ restartPolicy: 'OnFailure' }) },
        },
      },
    }),
    errors: [
      'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ],
  },
  {
    when: 'the schedule of a cron job changes',
    do: 'update',
    old: cronJob({}, { metadata: meta({ generation: 1 }) }),
    object: cronJob({ schedule: '0 * * * *' }),
    errors: [],
    shows: { 'metadata.generation': 2 },
  },
];
