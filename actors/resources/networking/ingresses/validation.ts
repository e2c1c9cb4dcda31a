/** What an ingress may say. In Kubernetes: ValidateIngress, pkg/apis/networking/validation. */
import { isIP } from 'node:net';
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  withFormat,
} from '../../../../api/meta/names.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../../api/schema/field-errors.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import {
  invalidFor,
  isMissing,
  numberAt,
  objectsAt,
  portNameProblems,
  portNumberProblems,
  specOf,
} from '../../value-validation.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const WILDCARD_HOST = /^\*\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const BAD_PATH_PARTS = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_PATH_ENDS = ['/..', '/.'];

export function validateNewIngress(ingress: KubeObject): FieldErrors {
  const annotation = stringAt(ingress.metadata.annotations, CLASS_ANNOTATION);
  const className = stringAt(specOf(ingress), 'ingressClassName');
  const isDisputed = annotation !== '' && className !== '' && annotation !== className;
  const detail = 'must match `ingressClassName` when both are specified';
  return [
    ...validateIngress(ingress),
    ...(isDisputed ? [invalidValue(`annotations.${CLASS_ANNOTATION}`, annotation, detail)] : []),
  ];
}

/** A name of a secret or a host with a wildcard that was wrong before may stay wrong. */
export function validateIngressChange(ingress: KubeObject, old: KubeObject): FieldErrors {
  const isOldSecretWrong = validateTls(specOf(old)).length > 0;
  return validateIngress(ingress).filter(
    ({ field }) => !(isOldSecretWrong && field.startsWith('spec.tls[')),
  );
}

export function validateIngress(ingress: KubeObject): FieldErrors {
  const spec = specOf(ingress);
  const rules = objectsAt(spec, 'rules');
  const className = stringAt(spec, 'ingressClassName');
  const nothing = 'either `defaultBackend` or `rules` must be specified';
  return [
    ...(rules.length === 0 && isMissing(spec['defaultBackend'])
      ? [invalidValue('spec', spec['rules'] ?? null, nothing)]
      : []),
    ...(isMissing(spec['defaultBackend'])
      ? []
      : validateBackend('spec.defaultBackend', objectAt(spec, 'defaultBackend') ?? {})),
    ...rules.flatMap((rule, index) => validateRule(indexPath('spec.rules', index), rule)),
    ...validateTls(spec),
    ...(className === ''
      ? []
      : invalidFor('spec.ingressClassName', className, dns1123SubdomainProblems(className))),
  ];
}

function validateTls(spec: JsonObject): FieldErrors {
  return objectsAt(spec, 'tls').flatMap((tls, index) => {
    const secret = stringAt(tls, 'secretName');
    const path = `${indexPath('spec.tls', index)}.secretName`;
    return secret === '' ? [] : invalidFor(path, secret, dns1123SubdomainProblems(secret));
  });
}

function validateRule(field: string, rule: JsonObject): FieldErrors {
  const host = stringAt(rule, 'host');
  return [
    ...(host === '' ? [] : validateHost(`${field}.host`, host)),
    ...(isJsonObject(rule['http']) ? validatePaths(`${field}.http`, rule['http']) : []),
  ];
}

function validateHost(field: string, host: string): FieldErrors {
  return [
    ...(isIP(host) > 0 ? [invalidValue(field, host, 'must be a DNS name, not an IP address')] : []),
    ...invalidFor(
      field,
      host,
      host.includes('*') ? wildcardProblems(host) : dns1123SubdomainProblems(host),
    ),
  ];
}

function wildcardProblems(host: string): readonly string[] {
  if (WILDCARD_HOST.test(host)) return [];
  const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
  return [
    withFormat(
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, " +
        "which must consist of lower case alphanumeric characters, '-' or '.' and end with an " +
        'alphanumeric character',
      `\\*\\.${label}(\\.${label})*`,
      ['*.example.com'],
    ),
  ];
}

function validatePaths(field: string, http: JsonObject): FieldErrors {
  const paths = objectsAt(http, 'paths');
  if (paths.length === 0) return [required(`${field}.paths`)];
  return paths.flatMap((path, index) => {
    const at = indexPath(`${field}.paths`, index);
    // Without a type of the path, upstream looks at nothing else.
    if (isMissing(path['pathType'])) {
      return [required(`${at}.pathType`, 'pathType must be specified')];
    }
    return [
      ...validatePath(at, path),
      ...validateBackend(`${at}.backend`, objectAt(path, 'backend') ?? {}),
    ];
  });
}

function validatePath(field: string, rule: JsonObject): FieldErrors {
  const path = stringAt(rule, 'path');
  const type = stringAt(rule, 'pathType');
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

function validateBackend(field: string, backend: JsonObject): FieldErrors {
  const service = objectAt(backend, 'service');
  const resource = objectAt(backend, 'resource');
  if (service === undefined) {
    return resource === undefined
      ? [invalidValue(field, '', 'resource or service backend is required')]
      : validateResource(`${field}.resource`, resource);
  }
  return resource === undefined
    ? validateServiceBackend(field, service)
    : [invalidValue(field, '', 'cannot set both resource and service backends')];
}

function validateResource(field: string, resource: JsonObject): FieldErrors {
  return ['kind', 'name']
    .filter((key) => stringAt(resource, key) === '')
    .map((key) => required(`${field}.${key}`));
}

function validateServiceBackend(field: string, service: JsonObject): FieldErrors {
  const name = stringAt(service, 'name');
  return [
    ...(name === ''
      ? [required(`${field}.service.name`)]
      : invalidFor(`${field}.service.name`, name, dns1123LabelProblems(name))),
    ...validateBackendPort(field, objectAt(service, 'port') ?? {}),
  ];
}

function validateBackendPort(field: string, port: JsonObject): FieldErrors {
  const name = stringAt(port, 'name');
  const number = numberAt(port, 'number') ?? 0;
  if (name !== '' && number !== 0) {
    return [invalidValue(field, '', 'cannot set both port name & port number')];
  }
  if (name !== '') return invalidFor(`${field}.service.port.name`, name, portNameProblems(name));
  return number === 0
    ? [required(field, 'port name or number is required')]
    : invalidFor(`${field}.service.port.number`, number, portNumberProblems(number));
}
