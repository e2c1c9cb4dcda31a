/**
 * What the level restricted asks for beyond baseline, and capabilities, which both look at.
 *
 * In Kubernetes: k8s.io/pod-security-admission/policy.
 */
import { items } from '../../../api/json/go-values.ts';
import type { Capabilities, PodSpec, Volume } from '../../../api/generated/kinds/core-v1.ts';
import { type AnyContainer, containersOf } from '../../../api/kinds/pod-spec/pod-parts.ts';
import { procMount } from './baseline-checks.ts';
import {
  type Check,
  type CheckPod,
  type Secured,
  joinQuoted,
  namesOf,
  plural,
  shownContainers,
  shownSetters,
  sortedOnce,
  unlessOwnUsers,
  unlessWindows,
} from './check.ts';

const escalation: CheckPod = ({ spec }) => {
  const bad = namesOf(spec, (one) => one.securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${shownContainers(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const DEFAULT_CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
const NET_BIND: ReadonlySet<string> = new Set(['NET_BIND_SERVICE']);

function capabilitiesOf(container: AnyContainer): Capabilities | undefined {
  return container.securityContext?.capabilities;
}

/** What containers add beyond these; '' where none does. */
function addedProblem(spec: PodSpec, allowed: ReadonlySet<string>): string {
  const added = (container: AnyContainer): string[] =>
    items(capabilitiesOf(container)?.add).filter((one) => !allowed.has(one));
  const bad = namesOf(spec, (container) => added(container).length > 0);
  if (bad.length === 0) return '';
  const shown = joinQuoted(sortedOnce(containersOf(spec).flatMap(added)));
  return `${shownContainers(bad)} must not include ${shown} in securityContext.capabilities.add`;
}

const capabilitiesBaseline: CheckPod = ({ spec }) => {
  const detail = addedProblem(spec, DEFAULT_CAPABILITIES);
  return detail === '' ? undefined : { reason: 'non-default capabilities', detail };
};

const capabilitiesRestricted: CheckPod = ({ spec }) => {
  const keeping = namesOf(spec, (one) => !items(capabilitiesOf(one)?.drop).includes('ALL'));
  const problems = [
    keeping.length > 0
      ? `${shownContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`
      : '',
    addedProblem(spec, NET_BIND),
  ].filter((problem) => problem !== '');
  if (problems.length === 0) return undefined;
  return { reason: 'unrestricted capabilities', detail: problems.join('; ') };
};

type VolumeSource = Exclude<keyof Volume, 'name'>;

const ALLOWED_VOLUMES: readonly VolumeSource[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
/** In the order in which upstream looks for them. */
const FORBIDDEN_VOLUMES: readonly VolumeSource[] = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

const restrictedVolumes: CheckPod = ({ spec }) => {
  const has = (volume: Volume) => (type: VolumeSource) => volume[type] !== undefined;
  const bad = items(spec.volumes).filter((volume) => !ALLOWED_VOLUMES.some(has(volume)));
  if (bad.length === 0) return undefined;
  const names = joinQuoted(bad.map(({ name }) => name));
  const types = sortedOnce(bad.map((volume) => FORBIDDEN_VOLUMES.find(has(volume)) ?? 'unknown'));
  const which = `${plural(bad.length, 'volume')} ${names} ${plural(bad.length, 'uses', 'use')}`;
  const what = `${plural(types.length, 'restricted volume type')} ${joinQuoted(types)}`;
  return { reason: 'restricted volume types', detail: `${which} ${what}` };
};

const runAsNonRoot: CheckPod = ({ spec }) => {
  const reason = 'runAsNonRoot != true';
  const said = (parent: Secured) => parent.securityContext?.runAsNonRoot;
  const root = namesOf(spec, (one) => said(one) === false);
  const setters = shownSetters(said(spec) === false, root);
  if (setters !== '') {
    return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  }
  if (said(spec) === true) return undefined;
  const open = namesOf(spec, (one) => typeof said(one) !== 'boolean');
  if (open.length === 0) return undefined;
  const detail = `pod or ${shownContainers(open)} must set securityContext.runAsNonRoot=true`;
  return { reason, detail };
};

const runAsUser: CheckPod = ({ spec }) => {
  const isRoot = (parent: Secured) => parent.securityContext?.runAsUser === 0;
  const setters = shownSetters(isRoot(spec), namesOf(spec, isRoot));
  if (setters === '') return undefined;
  return { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
};

export const RESTRICTED_CHECKS: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    level: 'restricted',
    versions: [
      { since: 8, check: escalation },
      { since: 25, check: unlessWindows(escalation) },
    ],
  },
  {
    id: 'capabilities_baseline',
    level: 'baseline',
    versions: [{ since: 0, check: capabilitiesBaseline }],
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    versions: [
      { since: 22, check: capabilitiesRestricted, overrides: ['capabilities_baseline'] },
      {
        since: 25,
        check: unlessWindows(capabilitiesRestricted),
        overrides: ['capabilities_baseline'],
      },
    ],
  },
  {
    id: 'procMount_restricted',
    level: 'restricted',
    versions: [{ since: 35, check: procMount, overrides: ['procMount'] }],
  },
  {
    id: 'restrictedVolumes',
    level: 'restricted',
    versions: [{ since: 0, check: restrictedVolumes, overrides: ['hostPathVolumes'] }],
  },
  {
    id: 'runAsNonRoot',
    level: 'restricted',
    versions: [
      { since: 0, check: runAsNonRoot },
      { since: 35, check: unlessOwnUsers(runAsNonRoot) },
    ],
  },
  {
    id: 'runAsUser',
    level: 'restricted',
    versions: [
      { since: 23, check: runAsUser },
      { since: 35, check: unlessOwnUsers(runAsUser) },
    ],
  },
];
