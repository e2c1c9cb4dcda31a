/**
 * The spec of a pod, which also stands in the template of everything that runs pods.
 * The order of the rules is upstream's, and clients see it.
 *
 * In Kubernetes: ValidatePodSpec, pkg/apis/core/validation, with validatePodDNSConfig and its neighbours.
 */
import { items } from '../../json/go-values.ts';
import type { PodSpec } from '../../generated/kinds/core-v1.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  nameIsDnsSubdomain,
  qualifiedNameProblems,
} from '../../meta/names.ts';
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notFoundValue,
  required,
  tooLong,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { validateLegacyIp } from '../rules/ip-validation.ts';
import { invalidFor, isMissing, ofEach, oneOf } from '../rules/value-validation.ts';
import { flatMapItems, remembered } from '../../json/work-in-slices.ts';
import { validateLabels } from '../rules/label-selector-validation.ts';
import { validateContainerResourceName } from '../rules/resource-names.ts';
import { validateAffinity, validateTopologySpread } from './placement/affinity-validation.ts';
import { claimNamesOf, validateResourceClaims } from './volumes/claims-validation.ts';
import { validateHostNetworkPorts } from './containers/container-ports-validation.ts';
import {
  type PodParts,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from './containers/containers-validation.ts';
import { validatePodResources } from './pod-level-resources.ts';
import { ofEachContainer, type PodRules } from './pod-rules.ts';
import { validateRequirements } from './containers/resource-requirements-validation.ts';
import {
  validateHostUsers,
  validatePodSecurityContext,
} from './security/security-context-validation.ts';
import { validateHostProcess, validateSystem } from './security/system-validation.ts';
import { validateTolerations } from './placement/tolerations-validation.ts';
import { validateVolumes } from './volumes/volumes-validation.ts';

const NAMESERVERS_MAX = 3;
const SEARCHES_MAX = 32;
const SEARCH_CHARACTERS_MAX = 2048;
const HOSTNAME_BYTES_MAX = 64;
const SUBDOMAIN_BYTES_MAX = 253;
const LABEL_FORMAT = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SEARCH = /^_?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:\._?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;

function validateDnsConfig(field: string, spec: PodSpec): FieldErrors {
  const config = spec.dnsConfig;
  const servers = items(config?.nameservers);
  if (spec.dnsPolicy === 'None') {
    const when = 'when `dnsPolicy` is None';
    if (config === undefined) return [required(field, `must provide \`dnsConfig\` ${when}`)];
    if (servers.length === 0) {
      return [required(`${field}.nameservers`, `must provide at least one DNS nameserver ${when}`)];
    }
  }
  if (config === undefined) return [];
  const most = `must not have more than ${String(NAMESERVERS_MAX)} nameservers`;
  return [
    ...(servers.length > NAMESERVERS_MAX
      ? [invalidValue(`${field}.nameservers`, servers, most)]
      : []),
    ...flatMapItems(servers, (server, index) =>
      validateLegacyIp(indexPath(`${field}.nameservers`, index), server),
    ),
    ...validateSearches(`${field}.searches`, items(config.searches)),
    ...flatMapItems(items(config.options), (option, index) =>
      (option.name ?? '') === ''
        ? [required(indexPath(`${field}.options`, index), 'must not be empty')]
        : [],
    ),
  ];
}

function validateSearches(field: string, searches: readonly string[]): FieldErrors {
  const paths = `must not have more than ${String(SEARCHES_MAX)} search paths`;
  const most = String(SEARCH_CHARACTERS_MAX);
  const characters = `must not have more than ${most} characters (including spaces) in the search list`;
  const isLong = Buffer.byteLength(searches.join(' ')) > SEARCH_CHARACTERS_MAX;
  return [
    ...(searches.length > SEARCHES_MAX ? [invalidValue(field, [...searches], paths)] : []),
    ...(isLong ? [invalidValue(field, [...searches], characters)] : []),
    ...flatMapItems(searches, (search, index) => {
      if (search === '.') return [];
      const name = search.replace(/\.$/, '');
      return invalidFor(indexPath(field, index), name, searchProblems(name));
    }),
  ];
}

/** A subdomain in which there may be underscores. */
function searchProblems(name: string): readonly string[] {
  const isLong = Buffer.byteLength(name) > SUBDOMAIN_BYTES_MAX;
  return [
    ...(isLong ? [`must be no more than ${String(SUBDOMAIN_BYTES_MAX)} characters`] : []),
    ...(SEARCH.test(name) ? [] : [SEARCH_SENTENCE]),
  ];
}

const SEARCH_SENTENCE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', " +
  'and must start and end with an alphanumeric character ' +
  `(e.g. 'example.com', regex used for validation is '${LABEL_FORMAT}(\\.${LABEL_FORMAT})*')`;

function validateHostAliases(field: string, spec: PodSpec): FieldErrors {
  return flatMapItems(items(spec.hostAliases), (alias, index) => {
    const path = indexPath(field, index);
    return [
      ...validateLegacyIp(`${path}.ip`, alias.ip),
      ...flatMapItems(items(alias.hostnames), (name, at) =>
        invalidFor(indexPath(`${path}.hostnames`, at), name, dns1123SubdomainProblems(name)),
      ),
    ];
  });
}

function validateHostnameOverride(field: string, spec: PodSpec): FieldErrors {
  if (isMissing(spec.hostnameOverride)) return [];
  const name = spec.hostnameOverride ?? '';
  return [
    ...(spec.setHostnameAsFQDN === true
      ? [forbiddenField(field, 'may not be specified when setHostnameAsFQDN is true')]
      : []),
    ...(spec.hostNetwork === true
      ? [forbiddenField(field, 'may not be specified when hostNetwork is true')]
      : []),
    ...(Buffer.byteLength(name) > HOSTNAME_BYTES_MAX ? [tooLong(field, HOSTNAME_BYTES_MAX)] : []),
    ...invalidFor(field, name, dns1123SubdomainProblems(name)),
  ];
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const SECONDS_MAX = 2 ** 31 - 1;
const NOTHING: ReadonlySet<string> = new Set();

export function validatePodSpec(field: string, spec: PodSpec, rules: PodRules): FieldErrors {
  const { volumes, errors } = remembered(() => validateVolumes(`${field}.volumes`, spec, rules));
  const claims = remembered(() => claimNamesOf(spec));
  const parts: PodParts = {
    spec,
    volumes,
    claims,
    times: {
      gracePeriodSeconds: spec.terminationGracePeriodSeconds,
      os: spec.os?.name,
    },
  };
  return [
    ...(isMissing(spec.terminationGracePeriodSeconds)
      ? [required(`${field}.terminationGracePeriodSeconds`)]
      : []),
    ...errors,
    ...validateResourceClaims(`${field}.resourceClaims`, spec, rules),
    ...validateContainers(`${field}.containers`, parts),
    ...validateInitContainers(`${field}.initContainers`, parts, rules),
    ...validateEphemeralContainers(`${field}.ephemeralContainers`, parts),
    ...validatePodResources(field, spec, claims),
    ...validateHostNetworkPorts(field, spec, rules.metadata !== undefined),
    ...validatePlacement(field, spec, rules),
    ...validateHostProcess(field, spec),
    ...validateHostUsers(field, spec, rules),
    ...validateHostnameOverride(`${field}.hostnameOverride`, spec),
    ...validateIdentity(field, spec),
    ...validateTolerations(`${field}.tolerations`, items(spec.tolerations), rules.allowsComparison),
    ...validateHostAliases(`${field}.hostAliases`, spec),
    ...validateClasses(field, spec),
    ...validateSystem(field, spec),
    ...validateSchedulingGroup(`${field}.schedulingGroup.podGroupName`, spec),
    ...validateVolumesOfVariables(field, spec),
  ];
}

/** A group is named in one way only, so far. */
function validateSchedulingGroup(field: string, { schedulingGroup }: PodSpec): FieldErrors {
  if (schedulingGroup === undefined) return [];
  const name = schedulingGroup.podGroupName;
  return name === undefined
    ? [invalidValue(field, null, 'must specify one of: `podGroupName`')]
    : invalidFor(field, name, nameIsDnsSubdomain(name, false));
}

/** How and where it runs. */
function validatePlacement(field: string, spec: PodSpec, rules: PodRules): FieldErrors {
  return [
    ...oneOf(`${field}.restartPolicy`, spec.restartPolicy, RESTART_POLICIES),
    ...oneOf(`${field}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES),
    ...validateLabels(`${field}.nodeSelector`, spec.nodeSelector),
    ...validatePodSecurityContext(`${field}.securityContext`, spec, rules),
    ...validateAffinity(`${field}.affinity`, spec),
    ...validateDnsConfig(`${field}.dnsConfig`, spec),
    ...validateReadinessGates(`${field}.readinessGates`, spec),
    ...validateSchedulingGates(`${field}.schedulingGates`, spec),
    ...validateTopologySpread(`${field}.topologySpreadConstraints`, spec),
  ];
}

function validateReadinessGates(field: string, spec: PodSpec): FieldErrors {
  return ofEach(spec.readinessGates, (gate, index) => {
    const type = gate.conditionType;
    return invalidFor(
      `${indexPath(field, index)}.conditionType`,
      type,
      qualifiedNameProblems(type),
    );
  });
}

function validateSchedulingGates(field: string, spec: PodSpec): FieldErrors {
  const names = remembered(() => new Set<string>());
  return ofEach(spec.schedulingGates, (gate, index) => {
    const path = indexPath(field, index);
    const name = gate.name;
    const errors = [
      ...invalidFor(path, name, qualifiedNameProblems(name)),
      ...(names.has(name) ? [duplicateValue(path, name)] : []),
    ];
    names.add(name);
    return errors;
  });
}

function validateIdentity(field: string, spec: PodSpec): FieldErrors {
  const seconds = spec.activeDeadlineSeconds;
  const range = `must be between 1 and ${String(SECONDS_MAX)}, inclusive`;
  return [
    ...validateNames(field, spec, ['serviceAccountName', 'nodeName']),
    ...(seconds === undefined || (seconds >= 1 && seconds <= SECONDS_MAX)
      ? []
      : [invalidValue(`${field}.activeDeadlineSeconds`, seconds, range)]),
    ...validateNames(field, spec, ['hostname', 'subdomain']),
  ];
}

type NameKey = 'serviceAccountName' | 'nodeName' | 'hostname' | 'subdomain' | 'priorityClassName';

/** Those that become a part of a host name are labels, the others subdomains. */
function validateNames(field: string, spec: PodSpec, keys: readonly NameKey[]): FieldErrors {
  return keys.flatMap((key) => {
    const name = spec[key] ?? '';
    const isLabel = key === 'hostname' || key === 'subdomain';
    if (name === '') return [];
    const problems = isLabel ? dns1123LabelProblems(name) : dns1123SubdomainProblems(name);
    return invalidFor(`${field}.${key}`, name, problems);
  });
}

function validateClasses(field: string, spec: PodSpec): FieldErrors {
  const runtime = spec.runtimeClassName ?? '';
  const preemption = spec.preemptionPolicy;
  const overhead = spec.overhead;
  return [
    ...validateNames(field, spec, ['priorityClassName']),
    ...(isMissing(spec.runtimeClassName)
      ? []
      : invalidFor(`${field}.runtimeClassName`, runtime, dns1123SubdomainProblems(runtime))),
    ...(isMissing(preemption)
      ? []
      : oneOf(`${field}.preemptionPolicy`, preemption, PREEMPTION_POLICIES)),
    ...(overhead === undefined
      ? []
      : validateRequirements(
          `${field}.overhead`,
          { limits: overhead },
          NOTHING,
          validateContainerResourceName,
        )),
  ];
}

/** Variables are read from files in volumes that are made for the pod and gone with it. */
function validateVolumesOfVariables(field: string, spec: PodSpec): FieldErrors {
  const volumes = remembered(() => new Map(items(spec.volumes).map((one) => [one.name, one])));
  return ofEachContainer(field, spec, ({ container, field: path }) =>
    ofEach(container.env, (variable, index) => {
      const reference = variable.valueFrom?.fileKeyRef;
      if (reference === undefined) return [];
      const name = reference.volumeName;
      const volume = volumes.get(name);
      const at = `${indexPath(`${path}.env`, index)}.valueFrom.fileKeyRef.volumeName`;
      if (volume === undefined) return [notFoundValue(at, name)];
      return volume.emptyDir === undefined
        ? [invalidValue(at, name, 'referenced volume must be of type emptyDir')]
        : [];
    }),
  );
}
