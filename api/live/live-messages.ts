/**
 * Every message of the live protocol `everwatch.watch.v1`, as a schema and as the type that follows from
 * it. docs/live.md tells what they mean and in which order they come; docs/live.schema.json is
 * written from here, and a test compares it.
 */
import type { JsonValue } from '../json/json.ts';
import type { Described, MessageSchema } from './message-schema.ts';
import { LIVE_LIMITS } from './live-limits.ts';
import { ID as id, REVISION as revision } from './live-names.ts';
import { COLUMN as column, ROWS, WINDOW_SHOWN as window } from './live-window.ts';

const moment = {
  type: 'string',
  maxLength: 64,
  description: 'A resourceVersion, or a time in RFC 3339 as 2026-11-20T10:00:00Z.',
} as const;

/** Begins a subscription. */
export const SUBSCRIBE = {
  type: 'object',
  required: ['type', 'id', 'path'],
  additionalProperties: false,
  properties: {
    type: { const: 'subscribe' },
    id,
    path: {
      type: 'string',
      maxLength: 4_096,
      description:
        'As in a GET: a collection of a resource, with /at/MOMENT or /forks/NAME in front where wanted; ' +
        'or a path of /everwatch/v1 whose answer is lines of JSON.',
    },
    query: {
      type: 'string',
      maxLength: 16_384,
      description: 'Of a resource: labelSelector and fieldSelector.',
    },
    from: {
      ...revision,
      description: 'What the client has seen already; left out, the objects of now come first.',
    },
    at: { ...moment, description: 'Shows that moment and stays there.' },
    columns: {
      type: 'array',
      maxItems: LIVE_LIMITS.columnsMax,
      items: column,
      description:
        'With `window`; left out, the printed columns that are not only for wide output.',
    },
    window,
    rate: {
      type: 'integer',
      minimum: LIVE_LIMITS.rateMsMin,
      maximum: 3_600_000,
      description: 'With `window`: at least so many milliseconds lie between two `rows`.',
    },
    credit: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      description:
        'When so many events are not acked, nothing more is sent until they are; left out, acks are not awaited.',
    },
  },
} as const;

/** Ends a subscription; `complete` answers. */
export const UNSUBSCRIBE = {
  type: 'object',
  required: ['type', 'id'],
  additionalProperties: false,
  properties: { type: { const: 'unsubscribe' }, id },
} as const;

/** Gives credit back for a `next` that the client has worked off, and for those of smaller revisions. */
export const ACK = {
  type: 'object',
  required: ['type', 'id', 'revision'],
  additionalProperties: false,
  properties: { type: { const: 'ack' }, id, revision },
} as const;

/** Replaces the window of a subscription that has one: the page is scrolled, sorted or filtered. */
export const WINDOW = {
  type: 'object',
  required: ['type', 'id', 'window'],
  additionalProperties: false,
  properties: { type: { const: 'window' }, id, window },
} as const;

/** Moves every subscription that has no moment of its own; without `at`, back to now. */
export const SEEK = {
  type: 'object',
  required: ['type'],
  additionalProperties: false,
  properties: {
    type: { const: 'seek' },
    at: moment,
    speed: {
      type: 'integer',
      minimum: 0,
      maximum: 86_400,
      description: 'Seconds of then that pass in a second of now; 0, or left out: none.',
    },
  },
} as const;

/** Asks for a `pong`: what browsers have in place of the pings of WebSocket. */
export const PING = {
  type: 'object',
  required: ['type'],
  additionalProperties: false,
  properties: { type: { const: 'ping' } },
} as const;

/** The first message of a socket. */
export const WELCOME = {
  type: 'object',
  required: ['type', 'protocol', 'user', 'time', 'limits'],
  properties: {
    type: { const: 'welcome' },
    protocol: { const: 'everwatch.watch.v1' },
    user: { type: 'string', description: 'The name of the user that the credentials stand for.' },
    time: {
      type: 'string',
      description: 'RFC 3339 with milliseconds, by the clock of the server.',
    },
    limits: {
      type: 'object',
      required: ['subscriptions', 'windows', 'windowRows', 'messageBytes'],
      properties: {
        subscriptions: { type: 'integer' },
        windows: { type: 'integer' },
        windowRows: { type: 'integer' },
        messageBytes: { type: 'integer' },
      },
    },
  },
} as const;

const event = {
  type: 'object',
  required: ['type', 'object'],
  properties: {
    type: { enum: ['ADDED', 'MODIFIED', 'DELETED', 'LINE'] },
    object: {
      type: 'object',
      description: 'The object as of the event, of DELETED its last state; of LINE the line.',
    },
  },
} as const;

/** Events of one subscription, in order. */
export const NEXT = {
  type: 'object',
  required: ['type', 'id', 'revision', 'events'],
  properties: {
    type: { const: 'next' },
    id,
    revision,
    events: { type: 'array', items: event },
    reset: {
      type: 'boolean',
      description: 'Begins a state anew: what the subscription has shown before is void.',
    },
    initial: {
      type: 'boolean',
      description: 'Part of a state: its revision is no place to go on from before `caughtUp`.',
    },
  },
} as const;

/** Everything up to the revision was shown: the client may go on from there. */
export const CAUGHT_UP = {
  type: 'object',
  required: ['type', 'id', 'revision'],
  properties: { type: { const: 'caughtUp' }, id, revision },
} as const;

/** Ends a subscription, or answers a message that makes no sense. */
export const ERROR = {
  type: 'object',
  required: ['type', 'status'],
  properties: {
    type: { const: 'error' },
    id: { ...id, description: 'Left out: of the socket; no subscription has ended.' },
    status: { type: 'object', description: 'A Status of Kubernetes.' },
  },
} as const;

/** The subscription has ended as it should: it was unsubscribed, or has no more to show. */
export const COMPLETE = {
  type: 'object',
  required: ['type', 'id'],
  properties: { type: { const: 'complete' }, id },
} as const;

/** All that was sent since the `seek` before it belongs to this moment; now paint it. */
export const MOVED = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { const: 'moved' },
    at: { ...moment, description: 'As the client asked for it; left out: now.' },
    revision: { ...revision, description: 'Left out where no subscription has moved.' },
    time: { type: 'string', description: 'RFC 3339 with milliseconds.' },
  },
} as const;

/** Answers `ping`. */
export const PONG = {
  type: 'object',
  required: ['type'],
  properties: { type: { const: 'pong' } },
} as const;

/** What clients send, by `type`. */
export const CLIENT_MESSAGES = {
  subscribe: SUBSCRIBE,
  unsubscribe: UNSUBSCRIBE,
  ack: ACK,
  window: WINDOW,
  seek: SEEK,
  ping: PING,
} as const satisfies Readonly<Record<string, MessageSchema>>;

/** What servers send, by `type`. */
export const SERVER_MESSAGES = {
  welcome: WELCOME,
  next: NEXT,
  caughtUp: CAUGHT_UP,
  rows: ROWS,
  error: ERROR,
  complete: COMPLETE,
  moved: MOVED,
  pong: PONG,
} as const satisfies Readonly<Record<string, MessageSchema>>;

/** Begins a subscription. */
export type SubscribeMessage = Described<typeof SUBSCRIBE>;
/** What a client has on its screen. */
export type LiveWindow = Described<typeof window>;
/** A printed column by its name, or one with a path of its own. */
export type LiveColumn = Described<typeof column>;
/** Moves the socket through time. */
export type SeekMessage = Described<typeof SEEK>;
/** Events of one subscription. */
export type NextMessage = Described<typeof NEXT>;
/** What has changed of a window. */
export type RowsMessage = Described<typeof ROWS>;
/** An event as Kubernetes has it, or a line. */
export type LiveEvent = Described<typeof event>;
/** A cell of a row. */
export type LiveCell = JsonValue;

/** Any message of a client. */
export type ClientMessage = Described<(typeof CLIENT_MESSAGES)[keyof typeof CLIENT_MESSAGES]>;

/** Any message of a server. */
export type ServerMessage = Described<(typeof SERVER_MESSAGES)[keyof typeof SERVER_MESSAGES]>;

/** The schema of every message as one JSON Schema document. */
export function liveSchemaDocument(): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Messages of everwatch.watch.v1',
    $defs: {
      clientMessage: { oneOf: Object.values(CLIENT_MESSAGES) },
      serverMessage: { oneOf: Object.values(SERVER_MESSAGES) },
    },
    oneOf: [{ $ref: '#/$defs/clientMessage' }, { $ref: '#/$defs/serverMessage' }],
  };
}
