/** `/everwatch/v1/live`: the handshake of a live connection. docs/live.md is the protocol. */
import { type Answer, statusAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { headerValues } from '../../actors/request/header-values.ts';
import { LIVE_LIMITS, LIVE_PATH, LIVE_PROTOCOL } from '../../api/live/live-limits.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { badRequest, methodNotAllowed } from '../../api/meta/status.ts';
import type { Route } from '../routes/route.ts';
import type { LiveHub } from './live-hub.ts';
import { openingOf } from './live-request.ts';
import { socketsFor } from './live-socket.ts';

const openSocket = socketsFor(LIVE_PROTOCOL);

/** @param hub asked when a client comes, since the filters are put together behind the routes. */
export function liveRoute(hub: () => LiveHub, clock: Clock): Route {
  return (request) => {
    const { path, at, fork } = request.info;
    if (path !== LIVE_PATH || at !== '' || fork !== '') return undefined;
    if (request.method !== 'GET') return statusAnswer(methodNotAllowed());
    return socketAnswer(request, hub(), clock);
  };
}

function socketAnswer(request: AuthenticatedRequest, hub: LiveHub, clock: Clock): Answer {
  if (!request.isWebSocket) return statusAnswer(badRequest('a live connection is a WebSocket'));
  const offered = headerValues(request, 'sec-websocket-protocol').flatMap((line) =>
    line.split(',').map((one) => one.trim()),
  );
  if (!offered.includes(LIVE_PROTOCOL)) {
    return statusAnswer(badRequest(`the subprotocol ${LIVE_PROTOCOL} must be offered`));
  }
  return {
    kind: 'Upgrade',
    begin(client) {
      openSocket(client, clock, (wire) => {
        const connection = hub.open(wire, openingOf(request), () => undefined);
        connection.send(welcome(request, clock));
        return connection;
      });
    },
  };
}

/** The first message of a connection. */
export function welcome({ user }: AuthenticatedRequest, clock: Clock) {
  const { subscriptionsMax, windowsMax, windowRowsMax, messageBytesMax } = LIVE_LIMITS;
  return {
    type: 'welcome',
    protocol: LIVE_PROTOCOL,
    user: user.name,
    time: new Date(clock.now()).toISOString(),
    limits: {
      subscriptions: subscriptionsMax,
      windows: windowsMax,
      windowRows: windowRowsMax,
      messageBytes: messageBytesMax,
    },
  } as const;
}
