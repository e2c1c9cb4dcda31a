/**
 * How containers are asked whether they are well, and what they do when they start and end.
 *
 * In Kubernetes: validateProbe, validateLifecycle and validateHandler, pkg/apis/core/validation.
 */
import type { Container } from '../../../generated/kinds/core-v1.ts';
import { type JsonObject, type JsonValue, numberAt, stringAt } from '../../../json/json.ts';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import {
  invalidFor,
  isMissing,
  nonNegative,
  objectsAt,
  portNameProblems,
  portNumberProblems,
} from '../../rules/value-validation.ts';
import { presentAt } from '../pod-rules.ts';
import { STOP_SIGNALS, WINDOWS_STOP_SIGNALS } from './stop-signals.ts';

const SCHEMES = ['HTTP', 'HTTPS'];
const HEADER_NAME = /^[-A-Za-z0-9]+$/;
const PROBE_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const LIFECYCLE_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'sleep'];
const SECONDS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];

/** What of the pod the hooks and probes of its containers depend on. */
export interface PodTimes {
  readonly gracePeriodSeconds: number | bigint | undefined;
  /** '' when the pod does not say; undefined when it says nothing of its system. */
  readonly os: string | undefined;
}

/** Liveness, readiness and startup, in this order. */
export function validateProbes(field: string, container: Container, times: PodTimes): FieldErrors {
  return [
    ...validateProbe(`${field}.livenessProbe`, container, 'livenessProbe', times),
    ...validateProbe(`${field}.readinessProbe`, container, 'readinessProbe', times),
    ...validateProbe(`${field}.startupProbe`, container, 'startupProbe', times),
  ];
}

function validateProbe(
  field: string,
  container: Container,
  key: string,
  times: PodTimes,
): FieldErrors {
  const probe = presentAt(container, key);
  if (probe === undefined) return [];
  const grace = numberAt(probe, 'terminationGracePeriodSeconds');
  const threshold = numberAt(probe, 'successThreshold') ?? 0;
  const isReadiness = key === 'readinessProbe';
  const graceField = `${field}.terminationGracePeriodSeconds`;
  return [
    ...validateHandler(field, probe, PROBE_HANDLERS, times),
    ...SECONDS.flatMap((seconds) => nonNegative(`${field}.${seconds}`, probe[seconds])),
    ...(grace !== undefined && grace <= 0
      ? [invalidValue(graceField, grace, 'must be greater than 0')]
      : []),
    ...(isReadiness && grace !== undefined
      ? [invalidValue(graceField, grace, 'must not be set for readinessProbes')]
      : []),
    ...(!isReadiness && threshold !== 1
      ? [invalidValue(`${field}.successThreshold`, threshold, 'must be 1')]
      : []),
  ];
}

export function validateLifecycle(
  field: string,
  container: Container,
  times: PodTimes,
): FieldErrors {
  const lifecycle = container.lifecycle;
  if (lifecycle === undefined) return [];
  return [
    ...['postStart', 'preStop'].flatMap((key) => {
      const handler = presentAt(lifecycle, key);
      return handler === undefined
        ? []
        : validateHandler(`${field}.lifecycle.${key}`, handler, LIFECYCLE_HANDLERS, times);
    }),
    ...validateStopSignal(`${field}.lifecycle.stopSignal`, lifecycle.stopSignal, times),
  ];
}

function validateStopSignal(
  field: string,
  signal: JsonValue | undefined,
  { os }: PodTimes,
): FieldErrors {
  if (typeof signal !== 'string') return [];
  if (os === undefined) {
    return [forbiddenField(field, 'may not be set for containers with empty `spec.os.name`')];
  }
  const supported =
    os === 'windows' ? WINDOWS_STOP_SIGNALS : os === 'linux' ? STOP_SIGNALS : [signal];
  return supported.includes(signal) ? [] : [notSupported(field, signal, supported)];
}

/** Exactly one of `keys`; only the first one is looked into. */
function validateHandler(
  field: string,
  handler: JsonObject,
  keys: readonly string[],
  times: PodTimes,
): FieldErrors {
  const [first, ...others] = keys.filter((key) => presentAt(handler, key) !== undefined);
  if (first === undefined) return [required(field, 'must specify a handler type')];
  const detail = 'may not specify more than 1 handler type';
  return [
    ...validateAction(`${field}.${first}`, first, presentAt(handler, first) ?? {}, times),
    ...others.map((key) => forbiddenField(`${field}.${key}`, detail)),
  ];
}

function validateAction(
  field: string,
  key: string,
  action: JsonObject,
  times: PodTimes,
): FieldErrors {
  switch (key) {
    case 'exec':
      return isMissing(action['command']) ? [required(`${field}.command`)] : [];
    case 'httpGet':
      return validateHttpGet(field, action);
    case 'sleep':
      return validateSleep(field, numberAt(action, 'seconds') ?? 0, times);
    default:
      return validatePort(`${field}.port`, action['port']);
  }
}

function validateHttpGet(field: string, action: JsonObject): FieldErrors {
  const scheme = stringAt(action, 'scheme');
  return [
    ...(stringAt(action, 'path') === '' ? [required(`${field}.path`)] : []),
    ...validatePort(`${field}.port`, action['port']),
    ...(SCHEMES.includes(scheme) ? [] : [notSupported(`${field}.scheme`, scheme, SCHEMES)]),
    ...objectsAt(action, 'httpHeaders').flatMap((header) =>
      validateHeaderName(`${field}.httpHeaders`, stringAt(header, 'name')),
    ),
  ];
}

function validateHeaderName(field: string, name: string): FieldErrors {
  if (HEADER_NAME.test(name)) return [];
  const detail =
    "a valid HTTP header must consist of alphanumeric characters or '-' " +
    "(e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
  return [invalidValue(field, name, detail)];
}

function validatePort(field: string, port: JsonValue | undefined): FieldErrors {
  if (typeof port === 'string') return invalidFor(field, port, portNameProblems(port));
  const number = typeof port === 'number' ? port : 0;
  return invalidFor(field, number, portNumberProblems(number));
}

function validateSleep(
  field: string,
  seconds: number | bigint,
  { gracePeriodSeconds }: PodTimes,
): FieldErrors {
  if (gracePeriodSeconds === undefined) return [];
  if (seconds >= 0 && seconds <= gracePeriodSeconds) return [];
  const most = `terminationGracePeriodSeconds (${String(gracePeriodSeconds)})`;
  return [invalidValue(field, seconds, `must be non-negative and less than ${most}`)];
}
