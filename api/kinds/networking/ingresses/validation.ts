/**
 * What an ingress may say. A host is a DNS name, or has a wildcard in place of its first label.
 *
 * In Kubernetes: ValidateIngress, pkg/apis/networking/validation; IsWildcardDNS1123Subdomain,
 * apimachinery/pkg/util/validation.
 */
import { items } from '../../../json/go-values.ts';
import type {
  HTTPIngressPath,
  HTTPIngressRuleValue,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressTLS,
  ServiceBackendPort,
} from '../../../generated/kinds/networking-v1.ts';
import { isJsonObject } from '../../../json/json.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems, withFormat } from '../../../meta/names.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import {
  invalidFor,
  isMissing,
  portNameProblems,
  portNumberProblems,
} from '../../rules/value-validation.ts';
import { validateResourceReference } from '../resource-reference.ts';
import { validateNoAddress } from '../../rules/ip-validation.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const BAD_PATH_PARTS = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_PATH_ENDS = ['/..', '/.'];

/** What was wrong before may stay wrong. */
interface Leniency {
  readonly allowsAnySecret: boolean;
  readonly allowsAnyWildcardRule: boolean;
}

const STRICT: Leniency = { allowsAnySecret: false, allowsAnyWildcardRule: false };

/** The annotation for a class and the field must not contradict each other. */
export function validateNewIngress(ingress: Ingress): FieldErrors {
  const { annotations = {} } = ingress.metadata;
  const hasAnnotation = Object.hasOwn(annotations, CLASS_ANNOTATION);
  const annotation = annotations[CLASS_ANNOTATION];
  const { spec } = ingress;
  const isDisputed =
    hasAnnotation &&
    !isMissing(spec.ingressClassName) &&
    annotation !== (spec.ingressClassName ?? '');
  const detail = 'must match `ingressClassName` when both are specified';
  return [
    ...validateIngress(spec, STRICT),
    ...(isDisputed ? [invalidValue(`annotations.${CLASS_ANNOTATION}`, annotation, detail)] : []),
  ];
}

export function validateIngressChange(ingress: Ingress, old: Ingress): FieldErrors {
  const oldSpec = old.spec;
  return validateIngress(ingress.spec, {
    allowsAnySecret: items(oldSpec.tls).some((tls) => secretProblems(tls).length > 0),
    allowsAnyWildcardRule: items(oldSpec.rules).some(
      (rule) => (rule.host ?? '').includes('*') && validateRuleValue('', rule).length > 0,
    ),
  });
}

function validateIngress(spec: IngressSpec, leniency: Leniency): FieldErrors {
  const rules = items(spec.rules);
  const { defaultBackend, ingressClassName } = spec;
  const nothing = 'either `defaultBackend` or `rules` must be specified';
  const name = spec.ingressClassName ?? '';
  return [
    ...(rules.length === 0 && isMissing(defaultBackend)
      ? [invalidValue('spec', spec.rules ?? null, nothing)]
      : []),
    ...(isJsonObject(defaultBackend) ? validateBackend('spec.defaultBackend', defaultBackend) : []),
    ...rules.flatMap((rule, index) => validateRule(indexPath('spec.rules', index), rule, leniency)),
    ...items(spec.tls).flatMap((tls, index) =>
      validateTls(indexPath('spec.tls', index), tls, leniency),
    ),
    ...(isMissing(ingressClassName)
      ? []
      : invalidFor('spec.ingressClassName', name, dns1123SubdomainProblems(name))),
  ];
}

function validateTls(field: string, tls: IngressTLS, leniency: Leniency): FieldErrors {
  const secret = tls.secretName ?? '';
  return [
    ...items(tls.hosts).flatMap((host, index) =>
      validateHostPattern(indexPath(`${field}.hosts`, index), host),
    ),
    ...(leniency.allowsAnySecret
      ? []
      : invalidFor(`${field}.secretName`, secret, secretProblems(tls))),
  ];
}

function secretProblems(tls: IngressTLS): readonly string[] {
  const secret = tls.secretName ?? '';
  return secret === '' ? [] : dns1123SubdomainProblems(secret);
}

function validateRule(field: string, rule: IngressRule, leniency: Leniency): FieldErrors {
  const host = rule.host ?? '';
  const isLeftAlone = leniency.allowsAnyWildcardRule && host.includes('*');
  return [
    ...(host === '' ? [] : validateHost(`${field}.host`, host)),
    ...(isLeftAlone ? [] : validateRuleValue(field, rule)),
  ];
}

function validateRuleValue(field: string, rule: IngressRule): FieldErrors {
  return isJsonObject(rule.http) ? validatePaths(`${field}.http`, rule.http) : [];
}

function validatePaths(field: string, http: HTTPIngressRuleValue): FieldErrors {
  const paths = items(http.paths);
  if (paths.length === 0) return [required(`${field}.paths`)];
  return paths.flatMap((path, index) => {
    const at = indexPath(`${field}.paths`, index);
    // Without a type of the path, upstream looks at nothing else.
    if (isMissing(path.pathType)) {
      return [required(`${at}.pathType`, 'pathType must be specified')];
    }
    return [...validatePath(at, path), ...validateBackend(`${at}.backend`, path.backend)];
  });
}

function validatePath(field: string, rule: HTTPIngressPath): FieldErrors {
  const path = rule.path ?? '';
  const type = rule.pathType ?? '';
  switch (type) {
    case 'Exact':
    case 'Prefix':
      return validateLiteralPath(`${field}.path`, path);
    case 'ImplementationSpecific':
      return path === '' || path.startsWith('/')
        ? []
        : [invalidValue(`${field}.path`, path, 'must be an absolute path')];
    default:
      return [notSupported(`${field}.pathType`, type, PATH_TYPES)];
  }
}

function validateLiteralPath(field: string, path: string): FieldErrors {
  const ends = BAD_PATH_ENDS.filter((end) => path.endsWith(end));
  const parts = BAD_PATH_PARTS.filter((part) => path.includes(part));
  return [
    ...(path.startsWith('/') ? [] : [invalidValue(field, path, 'must be an absolute path')]),
    ...parts.map((part) => invalidValue(field, path, `must not contain '${part}'`)),
    ...ends.map((end) => invalidValue(field, path, `cannot end with '${end}'`)),
  ];
}

function validateBackend(field: string, backend: IngressBackend): FieldErrors {
  const service = backend.service;
  const resource = backend.resource;
  if (service === undefined) {
    return resource === undefined
      ? [invalidValue(field, '', 'resource or service backend is required')]
      : validateResourceReference(`${field}.resource`, resource);
  }
  return resource === undefined
    ? validateServiceBackend(field, service)
    : [invalidValue(field, '', 'cannot set both resource and service backends')];
}

function validateServiceBackend(field: string, service: IngressServiceBackend): FieldErrors {
  const name = service.name;
  return [
    ...(name === ''
      ? [required(`${field}.service.name`)]
      : invalidFor(`${field}.service.name`, name, dns1123LabelProblems(name))),
    ...validateBackendPort(field, service.port),
  ];
}

function validateBackendPort(field: string, port: ServiceBackendPort): FieldErrors {
  const name = port.name ?? '';
  const number = port.number ?? 0;
  if (name !== '' && number !== 0) {
    return [invalidValue(field, '', 'cannot set both port name & port number')];
  }
  if (name !== '') return invalidFor(`${field}.service.port.name`, name, portNameProblems(name));
  return number === 0
    ? [required(field, 'port name or number is required')]
    : invalidFor(`${field}.service.port.number`, number, portNumberProblems(number));
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const WILDCARD_FORMAT = `\\*\\.${LABEL}(\\.${LABEL})*`;
const WILDCARD_HOST = new RegExp(`^${WILDCARD_FORMAT}$`);
const WILDCARD_SENTENCE = withFormat(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, " +
    "which must consist of lower case alphanumeric characters, '-' or '.' and end with an " +
    'alphanumeric character',
  WILDCARD_FORMAT,
  ['*.example.com'],
);
const HOST_BYTES_MAX = 253;

/** The host of a rule: a pattern, and no address. */
function validateHost(field: string, host: string): FieldErrors {
  return [...validateNoAddress(field, host), ...validateHostPattern(field, host)];
}

function validateHostPattern(field: string, host: string): FieldErrors {
  const problems = host.includes('*') ? wildcardProblems(host) : dns1123SubdomainProblems(host);
  return invalidFor(field, host, problems);
}

function wildcardProblems(host: string): readonly string[] {
  return [
    ...(host.length > HOST_BYTES_MAX
      ? [`must be no more than ${String(HOST_BYTES_MAX)} characters`]
      : []),
    ...(WILDCARD_HOST.test(host) ? [] : [WILDCARD_SENTENCE]),
  ];
}
