/**
 * The front of the server: the filters, and the port that leads to them. With `--measure-filters` each
 * filter's time is measured.
 */
import type { TlsOptions } from 'node:tls';

import { ActorMeter, type Ref } from '../../../actors/request/actor.ts';
import type { Audit } from '../../../actors/audit/audit.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import type { FlowControl } from '../../../actors/flow-control/flow-control.ts';
import { filterChain } from '../../../actors/pipeline/filter-chain.ts';
import type { LifecycleSignals } from '../../../actors/lifecycle/lifecycle-signals.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import type { AuthenticatedRequest } from '../../../actors/request/request.ts';
import type { RequestTracer } from '../../../actors/tracing/request-tracer.ts';
import { waitGroup, type WaitGroup } from '../../../actors/request/under-way.ts';
import { type LateLiveHub, LiveHub } from '../../live/live-hub.ts';
import { Listener } from '../../listener/listener.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { AnswerWriter } from '../../responses/answer-writer.ts';
import type { WatchSessions } from '../../watch/watch-sessions.ts';
import { WebSocketWatches } from '../../watch/websocket-watch.ts';
import type { Guards } from '../guards/server-guards.ts';
import type {
  FeatureSettings,
  LifecycleSettings,
} from '../../flags/sections/lifecycle-settings.ts';
import type { PageSettings } from '../../flags/sections/page-settings.ts';
import type { FairnessSettings, RequestSettings } from '../../flags/sections/request-settings.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { lineMeaning } from './line-meaning.ts';

interface FilterChainParts {
  /** To the control plane that a request is for. */
  readonly way: Ref<AuthenticatedRequest>;
  readonly logger: Logger;
  readonly faults: Faults;
  readonly metrics: Metrics;
  readonly guards: Guards;
  readonly sessions: WatchSessions;
  readonly signals: LifecycleSignals;
  /** undefined: nothing is audited. */
  readonly audit: Audit | undefined;
  /** undefined: nothing is traced. */
  readonly tracer: RequestTracer | undefined;
  /** undefined: requests are only counted. */
  readonly flowControl: FlowControl | undefined;
  readonly tls: TlsOptions;
  /** Takes live connections once it knows of the filters. */
  readonly live: LateLiveHub;
}

/** What the flags say of filters and connections. */
export interface FrontSections {
  readonly requests: RequestSettings;
  readonly lifecycle: LifecycleSettings;
  readonly features: FeatureSettings;
  readonly fairness: FairnessSettings;
  readonly pages: PageSettings;
}

export interface Front {
  readonly listener: Listener;
  /** The requests under way, and the watches. */
  readonly group: WaitGroup;
  /** Watches that a shutdown gives time to end. */
  readonly watchGroup: WaitGroup;
}

/** Nothing listens yet. */
export function frontOf(options: FrontSections, parts: FilterChainParts): Front {
  const { requests, lifecycle, features, fairness, pages } = options;
  const { way, logger, faults, metrics, guards, sessions, signals } = parts;
  const { audit, tracer, flowControl, tls, live } = parts;
  const group = waitGroup();
  const watchGroup = waitGroup();
  const door = filterChain(
    {
      clock: systemClock,
      random: systemRandom,
      logger,
      metrics: metrics.requests,
      faults,
      waitGroup: group,
      watchGroup,
      signals,
      audit,
      tracer,
      flowControl,
      meter: lifecycle.measureFilters ? measuredFilters(metrics) : undefined,
      ...guards,
      options: { ...requests, ...lifecycle, ...features, ...fairness },
    },
    way,
  );
  const meant = lineMeaning(
    pages.headlampDir === undefined ? undefined : pages.headlampClusters,
    features.featureGates.isOn('CBORServingAndStorage'),
  );
  const webSockets = new WebSocketWatches(door, sessions, meant);
  const { authenticator, authorizer } = guards;
  const asked = { authenticator, authorizer, chain: door };
  const hub = new LiveHub({ clock: systemClock, sessions, faults, ...asked });
  live.use(hub);
  metrics.gauge('everwatch_live_connections', 'Live connections that are open.', () => {
    return hub.connectionCount;
  });
  metrics.gauge('everwatch_live_subscriptions', 'Subscriptions of live connections.', () => {
    return hub.subscriptionCount;
  });
  let failedHandshakes = 0;
  metrics.counter(
    'apiserver_tls_handshake_errors_total',
    'Connections that were given up in their handshake.',
    () => failedHandshakes,
  );
  const listener = new Listener({
    tls,
    handshakeFailed: () => {
      failedHandshakes += 1;
    },
    streamsPerConnection: lifecycle.http2MaxStreams,
    requestTimeoutMs: requests.requestTimeoutMs,
    slowAborted: metrics.requests.aborted.bind(metrics.requests),
    clock: systemClock,
    filterChain: door,
    meant,
    writer: new AnswerWriter(
      systemClock,
      (exchange, request, answer) => {
        sessions.overHttp(exchange, request, answer);
      },
      features.featureGates.isOn('APIResponseCompression'),
    ),
    writeFailed: (error) => {
      logger.error({ err: error }, 'an answer could not be written');
    },
    upgrade: (incoming, socket, head, connection) => {
      webSockets.upgrade(incoming, socket, head, connection);
    },
  });
  return { listener, group, watchGroup };
}

const MS_PER_SECOND = 1_000;

/** Measures the filters from now on, by their names in the handler chain. */
function measuredFilters(metrics: Metrics): ActorMeter {
  const meter = new ActorMeter(() => performance.now());
  const perFilter = (valueOf: (figures: { messages: number; ms: number }) => number) => () =>
    [...meter.figures].map(([filter, figures]) => {
      return { labels: { filter }, value: valueOf(figures) };
    });
  metrics.counter(
    'everwatch_filter_messages_total',
    'Messages that each filter has received.',
    perFilter(({ messages }) => messages),
  );
  metrics.counter(
    'everwatch_filter_seconds_total',
    'How long each filter has worked on them itself, without what is behind it.',
    perFilter(({ ms }) => ms / MS_PER_SECOND),
  );
  return meter;
}
