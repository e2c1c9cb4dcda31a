/**
 * How containers are asked whether they are well, what they do when they start and end, and the
 * signal that ends them.
 *
 * In Kubernetes: validateProbe, validateLifecycle and validateHandler, pkg/apis/core/validation.
 */
import { flatMapItems } from '../../../json/work-in-slices.ts';
import type {
  Container,
  HTTPGetAction,
  LifecycleHandler,
  Probe,
} from '../../../generated/kinds/core-v1.ts';
import { type Int64, type IntOrString, items } from '../../../json/go-values.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import {
  invalidFor,
  isMissing,
  nonNegative,
  portNameProblems,
  portNumberProblems,
} from '../../rules/value-validation.ts';

const WINDOWS_STOP_SIGNALS: readonly string[] = ['SIGKILL', 'SIGTERM'];

const NAMED =
  'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT ' +
  'STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX';

const STOP_SIGNALS: readonly string[] = [
  ...NAMED.split(' ').map((name) => `SIG${name}`),
  ...Array.from({ length: 15 }, (_, index) => `SIGRTMIN+${String(index + 1)}`),
  ...Array.from({ length: 14 }, (_, index) => `SIGRTMAX-${String(index + 1)}`),
].sort();

const SCHEMES = ['HTTP', 'HTTPS'];
const HEADER_NAME = /^[-A-Za-z0-9]+$/;
const PROBE_HANDLERS: readonly Handling[] = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const LIFECYCLE_HANDLERS: readonly Handling[] = ['exec', 'httpGet', 'tcpSocket', 'sleep'];
const SECONDS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

/** What a probe or a hook does, each of which has some of these. */
type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> &
  Pick<LifecycleHandler, 'sleep'>;
type Handling = keyof Handler;

/** What of the pod the hooks and probes of its containers depend on. */
export interface PodTimes {
  readonly gracePeriodSeconds: number | bigint | undefined;
  /** '' when the pod does not say; undefined when it says nothing of its system. */
  readonly os: string | undefined;
}

/** Liveness, readiness and startup, in this order. */
export function validateProbes(field: string, container: Container, times: PodTimes): FieldErrors {
  return [
    ...validateProbe(`${field}.livenessProbe`, container.livenessProbe, false, times),
    ...validateProbe(`${field}.readinessProbe`, container.readinessProbe, true, times),
    ...validateProbe(`${field}.startupProbe`, container.startupProbe, false, times),
  ];
}

function validateProbe(
  field: string,
  probe: Probe | undefined,
  isReadiness: boolean,
  times: PodTimes,
): FieldErrors {
  if (probe === undefined) return [];
  const { terminationGracePeriodSeconds: grace, successThreshold: threshold = 0 } = probe;
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
    ...(['postStart', 'preStop'] as const).flatMap((key) => {
      const handler = lifecycle[key];
      return handler === undefined
        ? []
        : validateHandler(`${field}.lifecycle.${key}`, handler, LIFECYCLE_HANDLERS, times);
    }),
    ...validateStopSignal(`${field}.lifecycle.stopSignal`, lifecycle.stopSignal, times),
  ];
}

function validateStopSignal(
  field: string,
  signal: string | undefined,
  { os }: PodTimes,
): FieldErrors {
  if (signal === undefined) return [];
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
  handler: Handler,
  keys: readonly Handling[],
  times: PodTimes,
): FieldErrors {
  const [first, ...others] = keys.filter((key) => handler[key] !== undefined);
  if (first === undefined) return [required(field, 'must specify a handler type')];
  const detail = 'may not specify more than 1 handler type';
  return [
    ...validateAction(`${field}.${first}`, first, handler, times),
    ...others.map((key) => forbiddenField(`${field}.${key}`, detail)),
  ];
}

function validateAction(
  field: string,
  key: Handling,
  { exec, httpGet, tcpSocket, grpc, sleep }: Handler,
  times: PodTimes,
): FieldErrors {
  switch (key) {
    case 'exec':
      return isMissing(exec?.command) ? [required(`${field}.command`)] : [];
    case 'httpGet':
      return httpGet === undefined ? [] : validateHttpGet(field, httpGet);
    case 'sleep':
      return validateSleep(field, sleep?.seconds ?? 0, times);
    case 'tcpSocket':
      return validatePort(`${field}.port`, tcpSocket?.port);
    case 'grpc':
      return validatePort(`${field}.port`, grpc?.port);
  }
}

function validateHttpGet(field: string, action: HTTPGetAction): FieldErrors {
  const { path = '', scheme = '' } = action;
  return [
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...validatePort(`${field}.port`, action.port),
    ...(SCHEMES.includes(scheme) ? [] : [notSupported(`${field}.scheme`, scheme, SCHEMES)]),
    ...flatMapItems(items(action.httpHeaders), ({ name }) =>
      validateHeaderName(`${field}.httpHeaders`, name),
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

function validatePort(field: string, port: IntOrString | undefined): FieldErrors {
  if (typeof port === 'string') return invalidFor(field, port, portNameProblems(port));
  return invalidFor(field, port ?? 0, portNumberProblems(port ?? 0));
}

function validateSleep(
  field: string,
  seconds: Int64,
  { gracePeriodSeconds }: PodTimes,
): FieldErrors {
  if (gracePeriodSeconds === undefined) return [];
  if (seconds >= 0 && seconds <= gracePeriodSeconds) return [];
  const most = `terminationGracePeriodSeconds (${String(gracePeriodSeconds)})`;
  return [invalidValue(field, seconds, `must be non-negative and less than ${most}`)];
}
