/**
 * Warnings about the spec and the metadata of a pod, or of the template of one: what is allowed
 * and hardly meant.
 *
 * In Kubernetes: GetWarningsForPod and GetWarningsForPodTemplate, pkg/api/pod.
 */
import { items } from '../../json/go-values.ts';
import type {
  Pod,
  Container,
  EphemeralContainer,
  PodTemplateSpec,
  PodSpec,
  PodSecurityContext,
  Volume,
} from '../../generated/kinds/core-v1.ts';
import { type JsonObject } from '../../json/json.ts';
import { remembered } from '../../json/work-in-slices.ts';
import { goQuote } from '../../json/go-format.ts';
import { indexPath, keyPath } from '../../field/field-path.ts';
import { claimSpecWarnings, fractionWarnings } from '../rules/resource-names.ts';
import { ipWarnings } from '../rules/ip-validation.ts';
import { isMissing, ofEach } from '../rules/value-validation.ts';
import { appArmorProfileIn, sameProfile } from './pod-annotations.ts';
import { overlapWarnings, portWarnings } from './duplicate-warnings.ts';
import { nodePlacementWarnings, podPlacementWarnings } from './placement/placement-warnings.ts';
import { containersOf, ofEachContainer, type PlacedContainer } from './pod-rules.ts';
import { APP_ARMOR_CONTAINER } from './security/security-profiles-validation.ts';

const WHOLE_BYTES = ['memory', 'ephemeral-storage'];
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const USE_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';
/** What is said of an annotation for AppArmor that stands without its field. */
export const USE_APP_ARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead';

const OLD_ANNOTATIONS: readonly (readonly [key: string, message: string])[] = [
  [
    'scheduler.alpha.kubernetes.io/critical-pod',
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  [
    'security.alpha.kubernetes.io/sysctls',
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
  [
    'security.alpha.kubernetes.io/unsafe-sysctls',
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
];

const OLD_VOLUMES: readonly (readonly [source: keyof Volume, message: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** About a pod. */
export function podWarnings(pod: Pod): readonly string[] {
  return warningsAt('', pod);
}

/** About the template of pods at `field`; undefined: there is none. */
export function templateWarnings(
  field: string,
  template: PodTemplateSpec | undefined,
): readonly string[] {
  return template === undefined ? [] : warningsAt(`${field}.`, template);
}

function warningsAt(prefix: string, pod: PodTemplateSpec): readonly string[] {
  const spec = pod.spec;
  const annotations = pod.metadata.annotations ?? {};
  const field = `${prefix}spec`;
  const notes = `${prefix}metadata.annotations`;
  const security = spec.securityContext;
  const grace = spec.terminationGracePeriodSeconds ?? 0;
  const about = { notes, annotations, security, isTemplate: prefix !== '' };
  return [
    ...nodePlacementWarnings(field, spec),
    ...OLD_ANNOTATIONS.filter(([key]) => annotations[key] !== undefined).map(
      ([key, message]) => `${keyPath(notes, key)}: ${message}`,
    ),
    ...volumeWarnings(`${field}.volumes`, spec),
    ...remembered(() => overlapWarnings(spec)),
    ...repeats(
      `${field}.hostAliases`,
      items(spec.hostAliases).map(({ ip }) => ip),
      'ip',
    ),
    ...pullSecretWarnings(`${field}.imagePullSecrets`, spec),
    ...fractionWarnings(`${field}.overhead`, spec.overhead, WHOLE_BYTES),
    ...(security?.seccompProfile === undefined
      ? seccompWarnings(notes, annotations, SECCOMP_POD)
      : []),
    ...ofEachContainer(field, spec, (placed) => containerWarnings(placed, about)),
    ...remembered(() => portWarnings(containersOf(field, spec))),
    ...(grace < 0
      ? [
          `${field}.terminationGracePeriodSeconds: must be >= 0; ` +
            'negative values are invalid and will be treated as 1',
        ]
      : []),
    ...podPlacementWarnings(field, spec),
    ...addressWarnings(field, spec),
  ];
}

function volumeWarnings(field: string, spec: PodSpec): readonly string[] {
  return ofEach(spec.volumes, (volume, index) => {
    const path = indexPath(field, index);
    const template = volume.ephemeral?.volumeClaimTemplate;
    const claim = `${path}.ephemeral.volumeClaimTemplate.spec`;
    return [
      ...oldVolumeWarnings(path, volume, OLD_VOLUMES),
      ...claimSpecWarnings(claim, template?.spec),
    ];
  });
}

function oldVolumeWarnings(
  field: string,
  volume: Volume,
  old: typeof OLD_VOLUMES,
): readonly string[] {
  return old
    .filter(([source]) => volume[source] !== undefined)
    .map(([source, message]) => `${field}.${NAMES[source] ?? source}: ${message}`);
}

/** Where upstream's message spells a source as Go does. */
const NAMES: Readonly<Record<string, string>> = { storageos: 'storageOS' };

function repeats(field: string, values: readonly string[], key: string): readonly string[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    const isSeen = seen.has(value);
    seen.add(value);
    return isSeen ? [`${indexPath(field, index)}.${key}: duplicate ${key} ${goQuote(value)}`] : [];
  });
}

function pullSecretWarnings(field: string, spec: PodSpec): readonly string[] {
  const secrets = items(spec.imagePullSecrets);
  return [
    ...repeats(
      field,
      secrets.map(({ name = '' }) => name),
      'name',
    ),
    ...secrets.flatMap((secret, index) =>
      (secret.name ?? '') === '' ? [`${indexPath(field, index)}.name: invalid empty name ""`] : [],
    ),
  ];
}

function seccompWarnings(field: string, annotations: JsonObject, key: string): readonly string[] {
  return annotations[key] === undefined ? [] : [`${keyPath(field, key)}: ${USE_SECCOMP}`];
}

/** What warnings of a container go by, of the pod around it. */
interface PodAround {
  /** Where its annotations are. */
  readonly notes: string;
  readonly annotations: JsonObject;
  readonly security: PodSecurityContext | undefined;
  readonly isTemplate: boolean;
}

function containerWarnings(
  { container, field }: PlacedContainer,
  around: PodAround,
): readonly string[] {
  const { notes, annotations } = around;
  const resources = container.resources;
  const hasProfile = container.securityContext?.seccompProfile !== undefined;
  const key = SECCOMP_CONTAINER + container.name;
  return [
    ...(hasProfile ? [] : seccompWarnings(notes, annotations, key)),
    ...appArmorWarnings(container, around),
    ...WHOLE_BYTES.flatMap((name) =>
      (['limits', 'requests'] as const).flatMap((sort) =>
        fractionWarnings(`${field}.resources.${sort}`, resources[sort], [name]),
      ),
    ),
    ...environmentWarnings(`${field}.env`, container),
  ];
}

/** A pod's own are told before the annotation becomes a field. */
function appArmorWarnings(
  container: Container | EphemeralContainer,
  { notes, annotations, security, isTemplate }: PodAround,
): readonly string[] {
  if (!isTemplate) return [];
  const key = APP_ARMOR_CONTAINER + container.name;
  const annotation = annotations[key];
  if (typeof annotation !== 'string') return [];
  const own = container.securityContext?.appArmorProfile;
  if (own !== undefined) return [];
  const ofPod = security?.appArmorProfile;
  const isSame = ofPod !== undefined && sameProfile(appArmorProfileIn(annotation), ofPod);
  return isSame ? [] : [`${keyPath(notes, key)}: ${USE_APP_ARMOR}`];
}

/** A later definition may use the one it hides; any other is hardly meant. */
function environmentWarnings(
  field: string,
  container: Container | EphemeralContainer,
): readonly string[] {
  if (isMissing(container.env)) return [];
  const seen = remembered(() => new Set<string>());
  return ofEach(container.env, (variable, index) => {
    const name = variable.name;
    const isSeen = seen.has(name);
    seen.add(name);
    const value = variable.value ?? '';
    const reference = `$(${name})`;
    const usesIt = value.includes(reference) && value !== reference;
    if (!isSeen || (usesIt && isMissing(variable.valueFrom))) return [];
    const why = `hides previous definition of ${goQuote(name)}`;
    return [`${indexPath(field, index)}: ${why}, which may be dropped when using apply`];
  });
}

function addressWarnings(field: string, spec: PodSpec): readonly string[] {
  const servers = items(spec.dnsConfig?.nameservers);
  return [
    ...servers.flatMap((server, index) =>
      ipWarnings(indexPath(`${field}.dnsConfig.nameservers`, index), server),
    ),
    ...items(spec.hostAliases).flatMap((alias, index) =>
      ipWarnings(`${indexPath(`${field}.hostAliases`, index)}.ip`, alias.ip),
    ),
  ];
}
