/**
 * What an API service may say. Its name is that of its version and group.
 *
 * In Kubernetes: ValidateAPIService, kube-aggregator/pkg/apis/apiregistration/validation.
 */
import { items } from '../../json/go-values.ts';
import type {
  APIService,
  APIServiceSpec,
  ServiceReference,
} from '../../generated/kinds/apiregistration-v1.ts';
import { isJsonObject, int32At, stringAt } from '../../json/json.ts';
import {
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  pathSegmentProblems,
} from '../../meta/names.ts';
import { goQuote } from '../../json/go-format.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { invalidFor, portNumberProblems } from '../rules/value-validation.ts';

const STATUSES = ['True', 'False', 'Unknown'];
const GROUP_PRIORITY_MAX = 20_000;
const VERSION_PRIORITY_MAX = 1000;

export function validateApiService(service: APIService): FieldErrors {
  const spec = service.spec;
  return [
    ...validateName(service),
    ...validateGroupVersion(spec),
    ...validatePriority(spec, 'groupPriorityMinimum', GROUP_PRIORITY_MAX),
    ...validatePriority(spec, 'versionPriority', VERSION_PRIORITY_MAX),
    ...(isJsonObject(spec.service) ? validateRemote(spec, spec.service) : validateLocal(spec)),
  ];
}

export function validateApiServiceStatus(service: APIService): FieldErrors {
  return items(service.status.conditions).flatMap((condition, index) => {
    const status = condition.status;
    const field = `${indexPath('status.conditions', index)}.status`;
    return STATUSES.includes(status) ? [] : [notSupported(field, status, STATUSES)];
  });
}

/** What is wrong as a name, metadata is asked about. The head of a generated name is judged as a name, too. */
function validateName({ metadata, ...service }: APIService): FieldErrors {
  const spec = isJsonObject(service['spec']) ? service['spec'] : {};
  const expected = `${stringAt(spec, 'version')}.${stringAt(spec, 'group')}`;
  const detail = `must be \`spec.version+"."+spec.group\`: ${goQuote(expected)}`;
  return (['generateName', 'name'] as const).flatMap((key) => {
    const { [key]: name = '' } = metadata;
    const isGiven = name !== '' && pathSegmentProblems(name).length === 0;
    return isGiven && name !== expected ? [invalidValue(`metadata.${key}`, name, detail)] : [];
  });
}

function validateGroupVersion(spec: APIServiceSpec): FieldErrors {
  const group = spec.group ?? '';
  const version = spec.version ?? '';
  const legacy = 'only v1 may have an empty group and it better be legacy kube';
  return [
    ...(group === '' && version !== 'v1' ? [required('spec.group', legacy)] : []),
    ...(group === '' ? [] : invalidFor('spec.group', group, dns1123SubdomainProblems(group))),
    ...invalidFor('spec.version', version, dns1035LabelProblems(version)),
  ];
}

function validatePriority(spec: APIServiceSpec, key: string, max: number): FieldErrors {
  const priority = int32At(spec, key) ?? 0;
  if (priority > 0 && priority <= max) return [];
  const detail = `must be positive and less than ${String(max)}`;
  return [invalidValue(`spec.${key}`, priority, detail)];
}

function validateLocal(spec: APIServiceSpec): FieldErrors {
  const sizeBytes = Buffer.from(spec.caBundle ?? '', 'base64').length;
  const insecure = 'insecureSkipTLSVerify';
  return [
    ...(sizeBytes > 0
      ? [
          invalidValue(
            'spec.caBundle',
            `${String(sizeBytes)} bytes`,
            'local APIServices may not have a caBundle',
          ),
        ]
      : []),
    ...(spec[insecure] === true
      ? [invalidValue(`spec.${insecure}`, true, `local APIServices may not have ${insecure}`)]
      : []),
  ];
}

function validateRemote(spec: APIServiceSpec, service: ServiceReference): FieldErrors {
  const field = 'spec.service';
  const insecure = 'insecureSkipTLSVerify';
  const port = service.port ?? 0;
  const problems = portNumberProblems(port);
  const isContradiction = spec[insecure] === true && (spec.caBundle ?? '') !== '';
  return [
    ...((service.namespace ?? '') === '' ? [required(`${field}.namespace`)] : []),
    ...((service.name ?? '') === '' ? [required(`${field}.name`)] : []),
    ...(problems.length > 0
      ? [invalidValue(`${field}.port`, port, `port is not valid: ${problems.join(', ')}`)]
      : []),
    ...(isContradiction
      ? [invalidValue(`spec.${insecure}`, true, 'may not be true if caBundle is present')]
      : []),
  ];
}
