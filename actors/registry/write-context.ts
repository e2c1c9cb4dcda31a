/**
 * What every writer of objects needs: the views they read, the committer they hand changes
 * to, and time.
 */
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { JsonValue } from '../../api/json/json.ts';
import type { RepeatedKeys } from '../../api/json/json-reader.ts';
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import type { Status } from '../../api/meta/status.ts';
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import type { ReadMoment } from '../../projections/read-moment.ts';
import type { ResourceViews } from '../../projections/resource-views.ts';
import type { ObjectHistory } from '../../projections/store/object-history.ts';
import type { ObjectReads } from '../../projections/objects/object-view.ts';
import type { WrittenObject } from '../../projections/objects/written-object.ts';
import type { StoredObject } from '../../streams/event.ts';
import type { EventReader } from '../../streams/event-log.ts';
import type { Admission } from '../admission/admission.ts';
import type { DeleteOptionsRules } from '../../api/options/options-delete.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { Faults } from '../request/faults.ts';
import type { Change } from './commit/change.ts';
import type { Committer } from './commit/committer.ts';
import type { ServiceAllocation } from './services/service-allocation.ts';
import type { KeySlots } from '../slots/key-slots.ts';
import type { ReadMeters } from './storage-meters.ts';

/** A body as a value, or 400 in the words of Go's decoders. */
export type Decoded =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** Only when asked for, and only where there are any. */
      readonly repeats?: Repeats | undefined;
      /** What is left to do of a large body, in a turn of its own; what it gives is what was sent. */
      readonly rest?: (() => Decoded) | undefined;
    }
  | { readonly ok: false; readonly status: Status };

/** What stands in a body more than once. */
export interface Repeats {
  /** What Go's YAML library says of it, in one message of several lines; '' where it says nothing. */
  readonly yamlProblem: string;
  /** Of the objects with such keys, all entries as they were sent. */
  readonly keys: RepeatedKeys;
}

/** `in parts`: as true, but what is left to do may be left to {@link Decoded}'s rest. */
export type Strictness = boolean | 'in parts';

/** Bytes of some media type → a JSON value. Knows no resource. */
export interface BodyDecoder {
  /** @param strict whether to look for keys that stand in an object twice. */
  decode(bytes: Buffer, contentType: string, strict?: Strictness): Decoded;
  /** 415, where bodies of this type are not read. */
  refusal(contentType: string): Status | undefined;
}

/** What a read needs; as of a moment of the past, `objects` and `moment` show that. */
export interface ReadContext {
  /** The views of each resource, from which lists and watches read. */
  readonly resourceViews: ResourceViews;
  /** Now, or as of the moment that a request is about. */
  readonly objects: ObjectReads;
  /** Which version each object had at a moment of the past. */
  readonly history: ObjectHistory;
  /** How far the views have come, and a way to wait for a version. */
  readonly applied: AppliedVersion;
  /** Finds out which version is now; on a shared log that is asked of the log. */
  readonly moment: ReadMoment;
  /** Gives the bytes of versions that are in no view any more. */
  readonly log: EventReader;
  /** Time stamps and time-outs. */
  readonly clock: Clock;
  /** Uids, and the ends of generated names. */
  readonly random: Random;
  /** How long continue tokens and watches last, and how watches may begin. */
  readonly limits: ReadLimits;
  /** Counts and logs what goes wrong inside of the server. */
  readonly faults: Faults;
  /** undefined: reads are not measured. */
  readonly reads?: ReadMeters | undefined;
}

export interface ReadLimits {
  /** How long a continue token can be used. */
  readonly continueTokenTtlMs: number;
  /** A watch without timeoutSeconds lasts from this to twice this. */
  readonly watchTimeoutMinMs: number;
  /** Whether a watch may begin with what is there: upstream's gate WatchList. */
  readonly watchLists: boolean;
  /** Whether `shardSelector` is heeded: upstream's gate ShardedListAndWatch. */
  readonly shards: boolean;
}

export interface WriteContext extends ReadContext {
  /** Takes changes in, and tells when the fold has met them. */
  readonly committer: Committer;
  /** Gives one write at a time the key of its object. */
  readonly slots: KeySlots;
  /** What services are given, and what they release. */
  readonly allocation: ServiceAllocation;
  /** Reads bodies of JSON, YAML and protobuf. */
  readonly decoder: BodyDecoder;
  /** The plug-ins of both phases. */
  readonly admission: Admission;
  /** Asked where a request turns out to do more than its verb says: a PUT that creates. */
  readonly authorizer: Authorizer;
  /** What a delete may ask for. */
  readonly deletes: DeleteOptionsRules;
  /** undefined: what an attempt decides goes to the log as it is. */
  readonly conversion?: WriteConversion;
}

/** Between the version of a request and the one that is written. */
export interface WriteConversion {
  /**
   * What an attempt on this object waits for; undefined: for nothing. A Status is what the client
   * is told instead.
   */
  ready(key: ObjectKey): MaybePromise<Status | undefined>;
  /** What becomes of a change in the version of the request. */
  toLog(change: Change): MaybePromise<LoggedForm>;
  /**
   * The bytes that a write would show if it were not a dry run, which asks for the same conversions.
   * A Status is what the client is told instead.
   */
  unwritten(object: WrittenObject & { readonly json: Buffer }): MaybePromise<Buffer | Status>;
}

/** Where an object lies: `path` is `namespace/name`, or `/name` where the kind has no namespace. */
export interface ObjectKey {
  /** As the log names it: `apps/deployments`. */
  readonly resource: string;
  /** Without a slash at its beginning where there is a namespace. */
  readonly path: string;
}

/** What a change in the version of the request becomes in the version that is stored. */
export type LoggedForm =
  /** `shown` gives what was written as it is answered. */
  | {
      readonly kind: 'change';
      readonly change: Change;
      readonly shown: (object: StoredObject) => StoredObject;
    }
  /** That is what is there already, as it is shown. */
  | { readonly kind: 'same'; readonly object: StoredObject }
  | { readonly kind: 'refused'; readonly status: Status };

/** In Kubernetes: MaxRequestBodyBytes of the generic API server. */
export const BODY_BYTES_MAX = 3 * 1024 * 1024;
