/** The names and numbers of the live protocol that its clients and its server have in common. */

/** The WebSocket; its twin for Server-Sent Events lies below, as `/events`. */
export const LIVE_PATH = '/everwatch/v1/live';

/** One-way, for curl and EventSource. */
export const LIVE_EVENTS_PATH = `${LIVE_PATH}/events`;

/** The subprotocol of the WebSocket. */
export const LIVE_PROTOCOL = 'everwatch.watch.v1';

/** In front of a token in base64url, among the subprotocols that a browser offers. */
export const LIVE_TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** Why the server closes a socket. */
export const LIVE_CLOSE = {
  /** The server stops: connect again, to another replica where there is one. */
  goingAway: 1_001,
  /** A message is longer than the server reads. */
  tooLong: 1_009,
  /** A message is no JSON object with a `type` that there is. */
  malformed: 4_400,
  /** The credentials do not hold any more. */
  unauthenticated: 4_401,
  /** An id was used that a subscription has. */
  idInUse: 4_409,
} as const;

/** How much a client may ask for on one socket. */
export const LIVE_LIMITS = {
  subscriptionsMax: 2_000,
  windowsMax: 32,
  windowRowsMax: 10_000,
  columnsMax: 64,
  messageBytesMax: 65_536,
  idCharactersMax: 64,
  /** Messages that are read at once, and then each second; what comes faster waits in the socket. */
  messagesAtOnce: 4_000,
  messagesPerSecond: 200,
  rateMsMin: 20,
} as const;
