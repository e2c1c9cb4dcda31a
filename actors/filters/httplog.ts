/**
 * One line for each request: from verbosity 3 on, and always where the answer was the server's fault.
 * Nothing that a client sent as a secret is in it. The file has upstream's name, so that
 * `--vmodule=httplog=3` shows the requests here too.
 *
 * In Kubernetes: WithHTTPLogging, apiserver/pkg/server/httplog.
 */
import { formatGoDuration } from '../../api/meta/go-duration.ts';
import { formatJson } from '../../api/json/json-text.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { goQuote } from '../../api/json/go-format.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { LogFields, Logger } from '../request/logger.ts';
import { reportedVerb, scopeOf } from '../request/request-labels.ts';
import type { Note, Outcome, ReceivedRequest, RoutedRequest } from '../request/request.ts';

/** The verbosity that shows requests. */
const SHOWN_FROM = 3;
const FAILED_FROM = 500;
const SWITCHED = 101;
/** Clients choose it. */
const AUDIT_ID_MAX = 64;

export interface HttpLogDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly faults: Faults;
}

export function httplog(
  { clock, logger, faults }: HttpLogDependencies,
  next: Ref<RoutedRequest>,
): Behavior<RoutedRequest> {
  // Left by this filter, which requests meet when it is known what they are about.
  const log: Note = (request, outcome) => {
    const isFailed = outcome.code >= FAILED_FROM;
    if (!isFailed && !logger.isVerbose(SHOWN_FROM)) return;
    const fields = fieldsOf(request as RoutedRequest, outcome, clock.now());
    if (isFailed) logger.warn(fields, 'HTTP');
    else logger.verbose(SHOWN_FROM, fields, 'HTTP');
  };
  return {
    name: 'httplog',

    receive(request) {
      request.atTheEnd(log);
      passOn(next, request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}

function fieldsOf(request: RoutedRequest, outcome: Outcome, now: number): LogFields {
  const { path, query, connection } = request;
  return {
    verb: reportedVerb(request, scopeOf(request.info)),
    URI: query === '' ? path : `${path}?${query}`,
    latency: formatGoDuration(now - request.receivedAt),
    userAgent: String(request.headers['user-agent'] ?? ''),
    'audit-ID': request.auditID.slice(0, AUDIT_ID_MAX),
    srcIP: hostPort(connection),
    ...seatingFields(request, now),
    ...(outcome.code === SWITCHED ? { hijacked: true } : { resp: outcome.code }),
    ...failureField(request),
  };
}

function hostPort({ remoteAddress, remotePort }: ReceivedRequest['connection']): string {
  if (remotePort === undefined) return remoteAddress;
  const host = remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress;
  return `${host}:${String(remotePort)}`;
}

function seatingFields({ seating }: RoutedRequest, now: number): LogFields {
  if (seating === undefined) return {};
  const { flow, ticket } = seating;
  return {
    apf_pl: flow.level.spec.name,
    apf_fs: flow.flowSchema.name,
    apf_iseats: ticket.initialSeats,
    apf_fseats: ticket.finalSeats,
    apf_additionalLatency: formatGoDuration(ticket.lingerMs),
    apf_execution_time:
      ticket.startedAt === 0 ? undefined : formatGoDuration(now - ticket.startedAt),
  };
}

function failureField({ failure }: RoutedRequest): LogFields {
  if (failure === undefined) return {};
  return { addedInfo: `logging error output: ${goQuote(`${formatJson(failure)}\n`)}\n` };
}
