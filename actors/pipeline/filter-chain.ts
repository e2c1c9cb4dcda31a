/**
 * The filters that every request crosses, in one array, outermost first. Nothing else says in which
 * order they stand; the types refuse an array in which a filter would meet a request that the
 * filters before it have not brought far enough.
 *
 * In Kubernetes: DefaultBuildHandlerChain, apiserver/pkg/server.
 */
import type { RegularExpression } from '../../api/meta/regular-expression.ts';
import type { Clock, Random } from '../../api/meta/clock.ts';
import { type ActorMeter, type Behavior, type Ref, startActor } from '../request/actor.ts';
import type { Audit } from '../audit/audit.ts';
import type { AuthenticationMeters } from '../authentication/authentication-meters.ts';
import type { RequestAuthorizationMeters } from '../authorization/authorization-meters.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { Faults } from '../request/faults.ts';
import { auditInit } from '../filters/audit-init.ts';
import { auditing } from '../filters/audit.ts';
import { authentication } from '../filters/authentication.ts';
import { authorization } from '../filters/authorization.ts';
import { cacheControl } from '../filters/cache-control.ts';
import { cors } from '../filters/cors.ts';
import { goaway } from '../filters/goaway.ts';
import { hsts } from '../filters/hsts.ts';
import { httplog } from '../filters/httplog.ts';
import { impersonation } from '../filters/impersonation.ts';
import { latencyTrackers } from '../filters/latency-trackers.ts';
import { muxAndDiscoveryComplete } from '../filters/mux-and-discovery-complete.ts';
import { panicRecovery } from '../filters/panic-recovery.ts';
import { priorityAndFairness } from '../filters/priority-and-fairness.ts';
import { requestDeadline } from '../filters/request-deadline.ts';
import { requestInfo } from '../filters/request-info.ts';
import { requestReceivedTimestamp } from '../filters/request-received-timestamp.ts';
import { retryAfter } from '../filters/retry-after.ts';
import { timeout } from '../filters/timeout.ts';
import { tracing } from '../filters/tracing.ts';
import { waitGroupFilter } from '../filters/wait-group.ts';
import { warningRecorder } from '../filters/warning-recorder.ts';
import { watchTermination } from '../filters/watch-termination.ts';
import type { FeatureGates } from '../lifecycle/feature-gates.ts';
import type { LifecycleSignals } from '../lifecycle/lifecycle-signals.ts';
import type { FlowControl } from '../flow-control/flow-control.ts';
import type { Logger } from '../request/logger.ts';
import type { RequestMetrics } from '../request/request-labels.ts';
import type { AuthenticatedRequest, ReceivedRequest, RoutedRequest } from '../request/request.ts';
import type { RequestTracer } from '../tracing/request-tracer.ts';
import type { WaitGroup } from '../request/under-way.ts';

export interface FilterChainOptions {
  /** How long a request may take that is not long-running. */
  readonly requestTimeoutMs: number;
  /** The directives of the Strict-Transport-Security header; none: no header. */
  readonly hstsDirectives: readonly string[];
  readonly corsAllowedOrigins: readonly RegularExpression[];
  /** How many requests of HTTP/2 of all are told to connect anew: 0 for none, 1 for all. */
  readonly goawayChance: number;
  /** Whether new requests are answered with 429 while the server stops. */
  readonly shutdownSendRetryAfter: boolean;
  /** How long watches have to end while the server stops; 0: they are not waited for. */
  readonly shutdownWatchGraceMs: number;
  readonly featureGates: FeatureGates;
  /** Where there is no flow control: how many reads are served at once; 0: no limit. */
  readonly maxRequestsInFlight: number;
  /** The same for writes. */
  readonly maxMutatingRequestsInFlight: number;
}

export interface FilterChainDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
  readonly faults: Faults;
  /** Closed and awaited by the shutdown of the server. */
  readonly waitGroup: WaitGroup;
  /** The same for watches. */
  readonly watchGroup: WaitGroup;
  readonly signals: LifecycleSignals;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** undefined: nothing is audited. */
  readonly audit?: Audit | undefined;
  /** undefined: nothing is traced. */
  readonly tracer?: RequestTracer | undefined;
  /** undefined: requests are only counted. */
  readonly flowControl?: FlowControl | undefined;
  readonly authenticationMeters?: AuthenticationMeters | undefined;
  readonly authorizationMeters?: RequestAuthorizationMeters | undefined;
  /** Told how long each filter works; undefined: nothing is measured. */
  readonly meter?: ActorMeter | undefined;
  readonly options: FilterChainOptions;
}

type Received = Ref<ReceivedRequest>;
type Routed = Ref<RoutedRequest>;
type Authenticated = Ref<AuthenticatedRequest>;

/** The filters in Kubernetes' order. As there, those that have nothing to do by the settings are left out. */
export function filtersOf(dependencies: FilterChainDependencies) {
  const { waitGroup: group, watchGroup, signals, options, ...tools } = dependencies;
  const { audit, tracer } = tools;
  const { requestTimeoutMs, hstsDirectives, corsAllowedOrigins } = options;
  const { goawayChance, shutdownSendRetryAfter, shutdownWatchGraceMs, featureGates } = options;
  const limitsUnknown = featureGates.isOn('UnauthenticatedHTTP2DOSMitigation');
  const isConstrained = featureGates.isOn('ConstrainedImpersonation');
  const complete = signals.of('MuxAndDiscoveryComplete');
  const notAccepting = signals.of('NotAcceptingNewRequest');
  return [
    (next: Received) => auditInit(tools, next),
    (next: Received) => panicRecovery(tools, next),
    (next: Received) => muxAndDiscoveryComplete({ ...tools, complete }, next),
    (next: Received) => requestReceivedTimestamp(tools, next),
    (next: Routed) => requestInfo(tools, next),
    (next: Routed) => latencyTrackers(tools, next),
    (next: Routed) => httplog(tools, next),
    when(shutdownSendRetryAfter, (next: Routed) => retryAfter({ ...tools, notAccepting }, next)),
    when(hstsDirectives.length > 0, (next: Routed) =>
      hsts({ ...tools, directives: hstsDirectives }, next),
    ),
    (next: Routed) => cacheControl(tools, next),
    when(goawayChance > 0, (next: Routed) => goaway({ ...tools, chance: goawayChance }, next)),
    when(shutdownWatchGraceMs > 0, (next: Routed) =>
      watchTermination({ ...tools, group: watchGroup }, next),
    ),
    (next: Routed) => waitGroupFilter({ ...tools, group }, next),
    (next: Routed) => requestDeadline({ ...tools, requestTimeoutMs }, next),
    (next: Routed) => timeout(tools, next),
    (next: Routed) => warningRecorder(tools, next),
    when(corsAllowedOrigins.length > 0, (next: Routed) =>
      cors({ ...tools, allowedOrigins: corsAllowedOrigins }, next),
    ),
    (next: Authenticated) => authentication({ ...tools, limitsUnknown }, next),
    tracer && ((next: Authenticated) => tracing({ ...tools, tracer }, next)),
    audit && ((next: Authenticated) => auditing({ ...tools, audit }, next)),
    (next: Authenticated) => impersonation({ ...tools, isConstrained }, next),
    (next: Authenticated) => priorityAndFairness({ ...tools, limits: options }, next),
    (next: Authenticated) => authorization(tools, next),
  ] as const;
}

function when<Filter>(isNeeded: boolean, filter: Filter): Filter | undefined {
  return isNeeded ? filter : undefined;
}

/** Starts every filter, the last one first, and gives the way in. */
export function filterChain(
  dependencies: FilterChainDependencies,
  dispatch: Ref<AuthenticatedRequest>,
): Ref<ReceivedRequest> {
  return connect(filtersOf(dependencies), dispatch, dependencies.meter);
}

/** A filter of any kind: given the next actor, what it does. undefined: it is left out. */
export type AnyFilter = ((next: Ref<never>) => Behavior<never>) | undefined;

/** How far a request has got that entered as `Message` and crossed all the filters. */
export type Crossed<
  Filters extends readonly AnyFilter[],
  Message = ReceivedRequest,
> = Filters extends readonly [infer First, ...infer Rest extends readonly AnyFilter[]]
  ? Exclude<First, undefined> extends (next: Ref<infer Out>) => Behavior<infer In>
    ? Message extends In
      ? undefined extends First
        ? Message extends Out
          ? Crossed<Rest, Message>
          : 'a filter that may be left out brings requests further'
        : Crossed<Rest, Out>
      : 'a filter stands too early'
    : never
  : Message;

/** Starts the filters one behind the other. Does not compile where one stands too early. */
export function connect<const Filters extends readonly AnyFilter[]>(
  filters: Filters & (Crossed<Filters> extends AuthenticatedRequest ? unknown : Crossed<Filters>),
  last: Ref<AuthenticatedRequest>,
  meter?: ActorMeter,
): Ref<ReceivedRequest> {
  let next: Ref<never> = meter === undefined ? last : meteredDispatch(last, meter);
  for (const filter of [...filters].reverse()) {
    if (filter !== undefined) next = startActor(filter(next), meter);
  }
  return next; // The first filter takes what was received: see Crossed.
}

/** What is behind the last filter, charged to one name. */
function meteredDispatch(
  dispatch: Ref<AuthenticatedRequest>,
  meter: ActorMeter,
): Ref<AuthenticatedRequest> {
  const figures = meter.of('dispatch');
  return {
    send(message) {
      meter.measure(figures, () => {
        dispatch.send(message);
      });
    },
  };
}
