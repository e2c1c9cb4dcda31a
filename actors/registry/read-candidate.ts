/**
 * Body → candidate, with what is to be said about what the object does not keep of it.
 */
import { isJsonObject, type JsonValue } from '../../api/meta/json.ts';
import { badRequest, type Status } from '../../api/meta/status.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import type { FieldValidation } from '../../api/meta/options.ts';
import { copyJson } from '../../api/patch/json-tree.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { statusAnswer, type Answer } from '../answer.ts';
import { doneInSlices } from '../large-work.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { candidateOf, cannotBeHandled, type Candidate } from './candidate.ts';
import { guarded, slicedGuarded, thenGuarded } from './guarded.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import { checkStrict } from './strict-decoding.ts';
import { BODY_BYTES_MAX, type Decoded, type Strictness, type WriteRoom } from './write-room.ts';

export interface CandidateRequest {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly fieldValidation: FieldValidation;
}

/**
 * What the client sent, in the version it was sent in. Each call gives an object of its own, so
 * that an attempt may change what it got and the next one begins from the beginning.
 */
export type SentObject = () => KubeObject;

/** Reads the body: either it is answered what is wrong with it, or `ready` is called. */
export function readCandidate(
  room: WriteRoom,
  given: CandidateRequest,
  done: (answer: Answer) => void,
  ready: (sent: SentObject) => void,
): void {
  const { request } = given;
  request.readBody(
    BODY_BYTES_MAX,
    guarded(room, done, (body) => {
      if (!body.ok) {
        done(statusAnswer(body.status));
        return;
      }
      const { bytes } = body;
      // Also where nobody is told of it: what is repeated is read into what stands there already.
      const decoded = decodeBody(room, request, bytes, 'in parts');
      const typed = (whole: Decoded): void => {
        const reading = doneInSlices(bytes.length, () => typedCandidate(given, whole, bytes));
        thenGuarded(room, done, reading, (read) => {
          if (!read.ok) {
            done(statusAnswer(read.status));
            return;
          }
          record(given, read.object);
          const sent = sentObject(room, given, bytes, read.object);
          slicedGuarded(room, done, bytes.length, () => {
            ready(sent);
          });
        });
      };
      finished({ room, done, sizeBytes: bytes.length }, decoded, typed);
    }),
  );
}

interface Slices {
  readonly room: WriteRoom;
  readonly done: (answer: Answer) => void;
  readonly sizeBytes: number;
}

/** Does what the decoder has left to do, and goes on in a slice of its own. */
function finished(slices: Slices, decoded: Decoded, next: (whole: Decoded) => void): void {
  const { room, done, sizeBytes } = slices;
  slicedGuarded(room, done, sizeBytes, () => {
    const rest = decoded.ok ? decoded.rest : undefined;
    if (rest === undefined) next(decoded);
    else finished(slices, rest(), next);
  });
}

/**
 * It is written down as Kubernetes has it behind its decoder: with the defaults of its version.
 *
 * In Kubernetes: LogRequestObject, apiserver/pkg/audit.
 */
function record({ request: { record: kept }, served }: CandidateRequest, object: KubeObject): void {
  if (kept === undefined) return;
  if (!kept.keepsRequests || served.setDefaults === undefined) {
    kept.requested(object);
    return;
  }
  const defaulted = copyJson(object) as KubeObject; // Of what is one.
  served.setDefaults(defaulted);
  kept.requested(defaulted);
}

/** The first object is at hand; only an attempt that was overtaken has to read the body again. */
function sentObject(
  room: WriteRoom,
  given: CandidateRequest,
  bytes: Buffer,
  object: KubeObject,
): SentObject {
  let first: KubeObject | undefined = object;
  return () => {
    const next = first ?? readAgain(room, given, bytes);
    first = undefined;
    dropDuplicateOwners(given.request, next, 'request');
    return next;
  };
}

function readAgain(room: WriteRoom, given: CandidateRequest, bytes: Buffer): KubeObject {
  const read = typedCandidate(given, decodeBody(room, given.request, bytes, true), bytes);
  if (!read.ok) throw new Error('a body that was read once cannot be read again');
  return read.object;
}

function typedCandidate(
  { request, served, fieldValidation }: CandidateRequest,
  decoded: Decoded,
  bytes: Buffer,
): Candidate {
  if (!decoded.ok) return { ok: false, status: unrecognized(served, decoded.status, bytes) };
  const { value } = decoded;
  if (value !== null && !isJsonObject(value)) {
    return { ok: false, status: unrecognized(served, badRequest(noObject(value)), bytes) };
  }
  const candidate = candidateOf(served, value ?? {}, decoded.repeats);
  if (!candidate.ok) return candidate;
  const strict = checkStrict(request, candidate.strictErrors, fieldValidation);
  if (strict === undefined) return candidate;
  return { ok: false, status: cannotBeHandled(served, strict) };
}

const NO_KIND = "couldn't get version/kind; json parse error:";

/**
 * The body as a value; what is no JSON is refused in the words in which Go looks for the kind.
 *
 * @param strict whether to look for keys that stand in an object twice.
 */
export function decodeBody(
  { decoder }: Pick<WriteRoom, 'decoder'>,
  { headers }: AuthenticatedRequest,
  bytes: Buffer,
  strict: Strictness = false,
): Decoded {
  const contentType = String(headers['content-type'] ?? '');
  const decoded = decoder.decode(bytes, contentType, strict);
  const isJson = contentType === '' || contentType.toLowerCase().startsWith('application/json');
  return isJson ? withoutKindFound(decoded) : decoded;
}

/** Also of what is found later. */
function withoutKindFound(decoded: Decoded): Decoded {
  if (decoded.ok) {
    const { rest } = decoded;
    return rest === undefined ? decoded : { ...decoded, rest: () => withoutKindFound(rest()) };
  }
  if (decoded.status.code !== 400) return decoded;
  return { ok: false, status: badRequest(`${NO_KIND} ${decoded.status.message ?? ''}`) };
}

function noObject(value: JsonValue): string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const struct =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
    'Kind string "json:\\"kind,omitempty\\"" }';
  return `${NO_KIND} json: cannot unmarshal ${type} into Go value of type ${struct}`;
}

const SUMMARY_BYTES = 30;
const OPEN_BRACE = 0x7b;

/** In Kubernetes: transformDecodeError with summarizeData, apiserver/pkg/endpoints/handlers/rest.go. */
function unrecognized({ facts }: ServedResource, status: Status, bytes: Buffer): Status {
  if (status.code !== 400) return status;
  const why = `${status.message ?? ''} (${summaryOf(bytes)})`;
  return badRequest(`the object provided is unrecognized (must be of type ${facts.kind}): ${why}`);
}

function summaryOf(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const head = bytes.subarray(0, SUMMARY_BYTES);
  const text = bytes[0] === OPEN_BRACE ? head.toString() : head.toString('hex');
  return bytes.length > SUMMARY_BYTES ? `${text} ...` : text;
}
