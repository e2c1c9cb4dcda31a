/**
 * What is known of a write, fact by fact, in the order in which the stages find them out. A write
 * is one object from its beginning to its answer; its type says how far it has come.
 *
 * All facts have their place in it from the start: an object whose shape never changes is read faster,
 * and stages note a dozen of them. A read is such an object too.
 */
import type { KubeObject } from '../../api/meta/object-meta.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { CommittedEvent, Requirement, StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { AdmissionAttributes } from '../admission/admission-attributes.ts';
import type { Answer } from '../request/answer.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import type { Change } from './commit/change.ts';
import type { WriteAttempt } from '../slots/key-slots.ts';
import type { ObjectKey } from './write-context.ts';

/** What every write begins with. */
export interface Received {
  /** As it came out of the filters, with a user and a verb. */
  readonly request: AuthenticatedRequest;
  /** The resource of the path, in the version of the request. */
  readonly served: ServedResource;
  /** What the write is about: of large ones each stage gets a turn of the event loop. */
  readonly sizeBytes: number;
}

/** What the query says, or the body of a delete. */
export interface HasOptions<Options> {
  readonly options: Options;
}

/** What the stages behind the verb's own look at. */
export interface WriteOptions {
  /** Whether the write is answered like any other and changes nothing. */
  readonly dryRun: boolean;
  /** '' where the client named none. */
  readonly fieldManager: string;
}

/** The bytes of the body as they were sent, decompressed. */
export interface HasBody {
  readonly bytes: Buffer;
}

/** What the client sent, in the version it was sent in. */
export interface SentObject {
  /** To be looked at, before it was taken. */
  readonly first: KubeObject;
  /**
   * Each call gives an object of its own, so that an attempt may change what it got and the next one
   * begins from the beginning.
   */
  take(): KubeObject;
}

/** The body was an object of the type of the path. */
export interface HasSent {
  /** Decoded, with what stood in the body more than once. */
  readonly sent: SentObject;
}

/** Where the object is, or will be: writes to it wait for each other. */
export interface HasKey {
  readonly key: ObjectKey;
}

/** How a new object comes by its name. */
interface GeneratedName {
  readonly name: string;
  /** What it is made of. */
  readonly base: string;
}

/** Whether the server chose the name, and may choose another where it is taken. */
export interface HasGeneratedName {
  /** undefined: the name is that of the URL. */
  readonly generated: GeneratedName | undefined;
}

/** One attempt, for the write that holds the key. */
export interface HasAttempt {
  /** Takes notes of what is left to be done when the attempt is over. */
  readonly attempt: WriteAttempt;
}

/** What is there. */
export interface HasStored {
  /** Its bytes as they lie in the log; undefined where there is no object. */
  readonly stored: StoredObject | undefined;
  /** The same, in the version of its store; not to be changed. */
  readonly old: KubeObject | undefined;
}

/** There is an object: where there was none the write ended with 404, or went on as a create. */
export interface HasExisting extends HasStored {
  /** Its bytes as they lie in the log. */
  readonly stored: StoredObject;
  /** The same, in the version of its store; not to be changed. */
  readonly old: KubeObject;
}

/** What is to be written, in the version of the request. */
export interface HasCandidate {
  /** Belongs to the write, which may change it. */
  readonly candidate: KubeObject;
}

/** What is to be written, in the version that is stored, with its defaults and its managers. */
export interface HasObject {
  /** Belongs to the write, which may change it. */
  readonly object: KubeObject;
}

/** Mutating admission has seen the object. */
export interface HasAttributes {
  /** The objects and the request as plug-ins are shown them. */
  readonly attributes: AdmissionAttributes;
}

/** The rules of the kind have nothing against it. */
export interface IsPrepared {
  readonly isPrepared: true;
}

/** Validating admission has nothing against it, under these conditions. */
export interface HasRequirements {
  /** Held by the arbiter when the fold reaches the change. */
  readonly requires: readonly Requirement[];
}

/** The bytes that are to be stored. */
export interface HasJson {
  /** Canonical JSON, the same for the same object. */
  readonly json: Buffer;
}

/** What the log is to be told, and how the client is answered then. */
export interface HasChange {
  /** As the committer takes it, in the version that is stored. */
  readonly change: Change;
  /** Called when the change has taken effect, with the event as it stands in the log. */
  readonly answerOf: (event: CommittedEvent) => Answer;
  /**
   * Called in place of `answerOf` where the write is not over with this change: it notes what the next attempt begins
   * with, which follows before another write gets the key. undefined: the write is over.
   */
  readonly goesOn?: ((event: CommittedEvent) => void) | undefined;
}

/** How the client is shown what is stored, or would be: as the object itself, or as its Scale. */
export interface Showing {
  /**
   * @param object as it is stored; it is brought into the version of the request when the answer is
   * written.
   */
  stored(served: ServedResource, code: number, object: StoredObject): Answer;
  /**
   * Gives the answer that the write would have had. @param bytes of the object, which are in no
   * log.
   */
  dryRun(served: ServedResource, code: number, bytes: UnwrittenBytes): Answer;
}

interface UnwrittenBytes {
  readonly json: Buffer;
  /** The one that it would replace, or that a client gave to a new object; undefined: it is shown none. */
  readonly version: ResourceVersion | string | undefined;
}

/** How the write will be answered; noted first, so that a dry run can answer anywhere. */
export interface HasShowing {
  readonly showing: Showing;
}

class WriteState implements Received {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly sizeBytes = 0;
  // What stages note; each says in its type what it needs of these.
  readonly options = undefined;
  readonly showing = undefined;
  readonly rules = undefined;
  readonly bytes = undefined;
  readonly sent = undefined;
  readonly key = undefined;
  readonly names = undefined;
  readonly generated = undefined;
  readonly attempt = undefined;
  readonly stored = undefined;
  readonly old = undefined;
  readonly candidate = undefined;
  readonly object = undefined;
  readonly attributes = undefined;
  readonly isPrepared = undefined;
  readonly requires = undefined;
  readonly json = undefined;
  readonly change = undefined;
  readonly answerOf = undefined;
  readonly goesOn = undefined;
  readonly marked = undefined;

  constructor(request: AuthenticatedRequest, served: ServedResource) {
    this.request = request;
    this.served = served;
  }
}

class ReadState implements Received {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly sizeBytes = 0;
  readonly listOptions = undefined;
  readonly selection = undefined;
  readonly asked = undefined;
  readonly waitsSince = undefined;
  readonly key = undefined;
  readonly exactly = undefined;
  readonly token = undefined;
  readonly since = undefined;
  readonly reached = undefined;
  readonly found = undefined;
  readonly page = undefined;
  readonly version = undefined;
  readonly list = undefined;

  constructor(request: AuthenticatedRequest, served: ServedResource) {
    this.request = request;
    this.served = served;
  }
}

/** A read, from its beginning. */
export function receivedRead(request: AuthenticatedRequest, served: ServedResource): Received {
  return new ReadState(request, served);
}

/** A write, from its beginning. */
export function receivedWrite(request: AuthenticatedRequest, served: ServedResource): Received {
  return new WriteState(request, served);
}

/** Writes down what a stage has found out. */
export function noted<Write extends object, const Facts extends object>(
  write: Write,
  facts: Facts,
): Write & Facts {
  return Object.assign(write, facts);
}
