/** What an ingress may say. In Kubernetes: ValidateIngress, pkg/apis/networking/validation. */
import { items } from '../../../json/go-values.ts';
import type {
  Ingress,
  IngressSpec,
  IngressTLS,
  IngressRule,
  IngressBackend,
  HTTPIngressRuleValue,
  IngressServiceBackend,
  HTTPIngressPath,
  ServiceBackendPort,
} from '../../../generated/kinds/networking-v1.ts';
import { isJsonObject, stringAt } from '../../../json/json.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import {
  invalidFor,
  isMissing,
  portNameProblems,
  portNumberProblems,
} from '../../rules/value-validation.ts';
import { validateHost, validateHostPattern } from './host-validation.ts';
import { validateResourceReference } from '../resource-reference.ts';

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

export function validateNewIngress(ingress: Ingress): FieldErrors {
  const { annotations } = ingress.metadata;
  const hasAnnotation = Object.hasOwn(annotations ?? {}, CLASS_ANNOTATION);
  const annotation = stringAt(annotations, CLASS_ANNOTATION);
  const spec = ingress.spec;
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
