/**
 * What everybody who writes objects needs: the views they read, the committer they hand changes
 * to, and time.
 */
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { JsonValue } from '../../api/meta/json.ts';
import type { Status } from '../../api/meta/status.ts';
import type { AppliedVersion } from '../../projections/applied-version.ts';
import type { ReadMoment } from '../../projections/read-moment.ts';
import type { Gallery } from '../../projections/projected-resource.ts';
import type { ObjectHistory } from '../../projections/objects/object-history.ts';
import type { ObjectReads } from '../../projections/objects/object-view.ts';
import type { EventReader } from '../../streams/event-log.ts';
import type { Faults } from '../faults.ts';
import type { Committer } from './committer.ts';
import type { KeySlots } from './key-slots.ts';

export type Decoded =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly status: Status };

/** Bytes of some media type → a JSON value. Knows no resource. */
export interface BodyDecoder {
  decode(bytes: Buffer, contentType: string): Decoded;
}

export interface ReadRoom {
  readonly gallery: Gallery;
  /** Now, or as of the moment that a request is about. */
  readonly objects: ObjectReads;
  readonly history: ObjectHistory;
  readonly applied: AppliedVersion;
  readonly moment: ReadMoment;
  readonly log: EventReader;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: ReadLimits;
  readonly faults: Faults;
}

export interface ReadLimits {
  /** How long a continue token can be used. */
  readonly continueTokenTtlMs: number;
  /** A watch without timeoutSeconds lasts from this to twice this. */
  readonly watchTimeoutMinMs: number;
}

export interface WriteRoom extends ReadRoom {
  readonly committer: Committer;
  readonly slots: KeySlots;
  readonly decoder: BodyDecoder;
}

/** In Kubernetes: MaxRequestBodyBytes of the generic API server. */
export const BODY_BYTES_MAX = 3 * 1024 * 1024;
