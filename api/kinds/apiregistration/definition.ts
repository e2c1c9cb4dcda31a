/**
 * API services, stored only: nothing is proxied to them yet. One without a service is our own
 * and available at once. Its name is that of its version and group.
 *
 * In Kubernetes: kube-aggregator/pkg/registry/apiservice; ValidateAPIService and
 * SetDefaults_ServiceReference, kube-aggregator/pkg/apis/apiregistration.
 */
import type {
  APIService,
  APIServiceSpec,
  ServiceReference,
} from '../../generated/kinds/apiregistration-v1.ts';
import type { JsonObject } from '../../json/json.ts';
import {
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  nameIsPathSegment,
  pathSegmentProblems,
} from '../../meta/names.ts';
import { defineKind } from '../kind.ts';
import { METADATA_KEPT_BY_STATUS } from '../strategy-of.ts';
import { invalidFor, portNumberProblems } from '../rules/value-validation.ts';
import { items } from '../../json/go-values.ts';
import { goQuote } from '../../json/go-format.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';

/** The kind APIService. */
export const apiServices = defineKind('apiregistration.k8s.io/v1/apiservices', {
  rules: {
    validateName: (name) => nameIsPathSegment(name, false),
    allowsUnconditionalUpdate: false,
    takesAnyFinalizer: true,
    status: {
      initial: initialStatus,
      keeps: METADATA_KEPT_BY_STATUS,
      validateUpdate: validateApiServiceStatus,
    },
    validate: validateApiService,
  },
});

function initialStatus(service: APIService): JsonObject {
  if (service.spec.service !== undefined) return {};
  return {
    conditions: [
      {
        type: 'Available',
        status: 'True',
        // It is being made at this moment.
        lastTransitionTime: service.metadata.creationTimestamp ?? null,
        reason: 'Local',
        message: 'Local APIServices are always available',
      },
    ],
  };
}

const STATUSES = ['True', 'False', 'Unknown'];
const GROUP_PRIORITY_MAX = 20_000;
const VERSION_PRIORITY_MAX = 1000;

function validateApiService(service: APIService): FieldErrors {
  const spec = service.spec;
  return [
    ...validateName(service),
    ...validateGroupVersion(spec),
    ...validatePriority(spec, 'groupPriorityMinimum', GROUP_PRIORITY_MAX),
    ...validatePriority(spec, 'versionPriority', VERSION_PRIORITY_MAX),
    ...(spec.service === undefined ? validateLocal(spec) : validateRemote(spec, spec.service)),
  ];
}

function validateApiServiceStatus(service: APIService): FieldErrors {
  return items(service.status.conditions).flatMap((condition, index) => {
    const status = condition.status;
    const field = `${indexPath('status.conditions', index)}.status`;
    return STATUSES.includes(status) ? [] : [notSupported(field, status, STATUSES)];
  });
}

/** What is wrong as a name, metadata is asked about. The head of a generated name is judged as a name, too. */
function validateName({ metadata, spec }: APIService): FieldErrors {
  const expected = `${spec.version ?? ''}.${spec.group ?? ''}`;
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

function validatePriority(
  spec: APIServiceSpec,
  key: 'groupPriorityMinimum' | 'versionPriority',
  max: number,
): FieldErrors {
  const priority = spec[key];
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

/** A service is reached at 443. */
export function setApiServiceDefaults({ spec }: APIService): void {
  if (spec.service !== undefined) spec.service.port ??= 443;
}
