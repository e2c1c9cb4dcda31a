/**
 * What a request is answered with: a value, which the door turns into the form that was asked for; of
 * a watch, the plan of what it is to show.
 */
import type { Duplex, Readable } from 'node:stream';
import type { JsonObject } from '../../api/json/json.ts';
import type { GroupResource, Status } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import type { ListedObjects } from '../../projections/list/listed-objects.ts';
import type { ProjectedResource } from '../../projections/resource-views.ts';
import type { Selection } from '../../projections/objects/selection.ts';

/** Everything that a request can be answered with. */
export type Answer =
  | { readonly kind: 'Status'; readonly status: Status }
  | ObjectAnswer
  | ValueAnswer
  | ListAnswer
  | { readonly kind: 'Watch'; readonly served: ServedResource; readonly plan: WatchPlan }
  | DocumentAnswer
  | StreamAnswer
  | UpgradeAnswer;

/** An object as it is stored; the writer turns it into the version and form that were asked for. */
export interface ObjectAnswer {
  readonly kind: 'Object';
  /** The HTTP status: 200, or 201 for a create. */
  readonly code: number;
  /** The resource in the version of the request, by which the object is converted and shown. */
  readonly served: ServedResource;
  /** In the version that is stored; not to be changed. */
  readonly object: StoredObject;
}

/** An object that is not stored as it stands: a Scale, the result of a dry run. In the served version. */
export interface ValueAnswer {
  readonly kind: 'Value';
  /** The HTTP status: 200, or 201 for a create. */
  readonly code: number;
  /** Among the facts of types, for protobuf; '' where there is no such form. */
  readonly typeId: string;
  /** The object in the version that the client asked for. */
  readonly value: JsonObject;
  /** The same as compact JSON, where it is at hand. */
  readonly json?: Buffer;
  /** Set where the value is an object of a resource, so that it can be shown as a Table. */
  readonly served?: ServedResource;
  /** The printer of a value that is of no resource. */
  readonly printedAs?: GroupResource;
  /** As Go prints the type that upstream's storage gives, where it is not the internal one. */
  readonly goType?: string;
}

/**
 * One page of a list. Its items are stored objects, to be brought into the version that is served.
 */
export interface ListAnswer {
  readonly kind: 'List';
  /** The resource in the version of the request, by which the items are converted and shown. */
  readonly served: ServedResource;
  /** In order of their paths, each in the version that is stored. */
  readonly items: ListedObjects;
  /** The moment of the list, from which a watch may go on; undefined: it is of nothing that is stored. */
  readonly resourceVersion: ResourceVersion | undefined;
  /** '' on the last page. */
  readonly continue: string;
  /** How many follow this page; undefined on the last, and where selectors hide how many fit. */
  readonly remainingItemCount: number | undefined;
  /** By which hashes the items were chosen; undefined: by none. */
  readonly shardSelector?: string | undefined;
}

/** Bytes that are ready as they are: discovery, OpenAPI, health, metrics. */
export interface DocumentAnswer {
  readonly kind: 'Document';
  /** The HTTP status. */
  readonly code: number;
  /** Sent as they are, `Content-Type` among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as it is; may be shared, and must not be changed. */
  readonly body: Uint8Array;
}

/** Bytes that come bit by bit, without end or until all are there: as fast as the client reads. */
export interface StreamAnswer {
  readonly kind: 'Stream';
  /** 200 unless said. */
  readonly code?: number;
  /** Sent as they are, before the first chunk. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** All of it, where it is there already: then nothing is read of `chunks`. */
  readonly whole?: Buffer;
  /** Begun once. A throw ends the answer so that no client takes it for whole; `signal`: the client has gone. */
  readonly chunks: (signal: AbortSignal) => AsyncIterable<Buffer>;
  /**
   * Of one that goes on for as long as its client likes: has the right to it asked for again. Called once, when it begins.
   * Where the right is lost, the answer is broken off. What is returned is called at its end, and nothing is lost behind that.
   */
  readonly held?: (lost: () => void) => () => void;
  /** The same of a backend, called in its place: what comes passes in the turn in which it comes. */
  readonly source?: () => Readable;
}

/** The client's connection goes on in another protocol than HTTP. Only for a request that asks for one. */
export interface UpgradeAnswer {
  readonly kind: 'Upgrade';
  /** Called once, with all that the client has said; from here on the socket is the answer's. */
  readonly begin: (client: UpgradedClient) => void;
}

/** A connection that has left the hands of the HTTP server. */
export interface UpgradedClient {
  /** Belongs to the answer, which has to destroy it. */
  readonly socket: Duplex;
  /** What came behind the request. */
  readonly head: Buffer;
  /** The request as the HTTP server knows it. */
  readonly incoming: object;
}

/** The answer that shows this Status; its code is the code of the response. */
export function statusAnswer(status: Status): Answer {
  return { kind: 'Status', status };
}

/** What a watch is to show; the gateway opens a session by it. */
export interface WatchPlan {
  /** The views it looks at: of this control plane, whichever it is. */
  readonly resource: ProjectedResource;
  /** How far the views have come, by which the session knows when it has caught up. */
  readonly applied: AppliedVersion;
  /** Which events the client is shown: by namespace, name, labels and fields. */
  readonly selection: Selection;
  /**
   * Where it begins: behind a version of the past, or with the objects as ADDED events followed by
   * what came and comes after them: those of now, or those of a moment of the past.
   */
  readonly start: {
    readonly kind: 'after' | 'current' | 'past';
    readonly version: ResourceVersion;
  };
  /**
   * When it was that a client would have seen this version: milliseconds since 1970, from which
   * ages are told. undefined: ages are told from now.
   */
  readonly seenAt?: ((version: ResourceVersion) => number) | undefined;
  /** Whether the initial ADDED events are followed by a bookmark that says so. */
  readonly endOfInitialEvents: boolean;
  /** Whether the client takes bookmarks. */
  readonly bookmarks: boolean;
  /** Milliseconds from now. */
  readonly timeoutMs: number;
}
