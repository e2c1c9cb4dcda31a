/**
 * What a request is answered with: a value, which the door turns into the form that was asked for.
 */
import type { JsonObject } from '../../api/json/json.ts';
import type { GroupResource, Status } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { WatchPlan } from './watch-plan.ts';

/** Everything that a request can be answered with. */
export type Answer =
  | { readonly kind: 'Status'; readonly status: Status }
  | ObjectAnswer
  | ValueAnswer
  | ListAnswer
  | { readonly kind: 'Watch'; readonly served: ServedResource; readonly plan: WatchPlan }
  | DocumentAnswer
  | StreamAnswer;

/** An object as it is stored; the writer turns it into the version and form that were asked for. */
export interface ObjectAnswer {
  readonly kind: 'Object';
  readonly code: number;
  readonly served: ServedResource;
  readonly object: StoredObject;
}

/** An object that is not stored as it stands: a Scale, the result of a dry run. In the served version. */
export interface ValueAnswer {
  readonly kind: 'Value';
  readonly code: number;
  readonly typeId: string;
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

export interface ListAnswer {
  readonly kind: 'List';
  readonly served: ServedResource;
  readonly items: readonly StoredObject[];
  readonly resourceVersion: ResourceVersion;
  /** '' on the last page. */
  readonly continue: string;
  readonly remainingItemCount: number | undefined;
}

/** Bytes that are ready as they are: discovery, OpenAPI, health, metrics. */
export interface DocumentAnswer {
  readonly kind: 'Document';
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Bytes that come bit by bit, without end or until all are there: as fast as the client reads. */
export interface StreamAnswer {
  readonly kind: 'Stream';
  readonly headers: Readonly<Record<string, string>>;
  /** Begun once. A throw ends the answer so that nobody takes it for whole; `signal`: nobody reads on. */
  readonly chunks: (signal: AbortSignal) => AsyncIterable<Buffer>;
}

export function statusAnswer(status: Status): Answer {
  return { kind: 'Status', status };
}
