/**
 * The body of a request, read whole, and the object of a type that it is, with what is to be said
 * about fields that the object does not keep.
 */
import { baseMediaType } from '../../../api/meta/base-media-type.ts';
import { statusAnswer } from '../../request/answer.ts';
import type { AuthenticatedRequest, BodyRead } from '../../request/request.ts';
import { type Stage, waitingStage } from '../stage.ts';
import {
  type HasBody,
  type HasOptions,
  type HasSent,
  noted,
  type Received,
  type SentObject,
} from '../write.ts';
import {
  BODY_BYTES_MAX,
  type BodyDecoder,
  type Decoded,
  type Strictness,
} from '../write-context.ts';
import { isJsonObject } from '../../../api/json/json.ts';
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { FieldValidation } from '../../../api/options/options.ts';
import { badRequest, type Status } from '../../../api/meta/status.ts';
import { remembered } from '../../../api/json/work-in-slices.ts';
import { copyJson } from '../../../api/json/json-tree.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { doneInSlices, LARGE_BYTES, restOf } from '../../request/large-work.ts';
import { type Candidate, candidateOf, cannotBeHandled } from '../objects/read-candidate.ts';
import { NO_KIND, noObject } from '../objects/said-type.ts';
import {
  dropDuplicateOwners,
  keepUnique,
  uniqueOwners,
  type UniqueOwners,
} from '../objects/owner-references.ts';
import { checkStrict } from '../objects/strict-decoding.ts';

/** 413 beyond {@link BODY_BYTES_MAX}, 429 where too many large bodies arrive at once, 400 for one that breaks off. */
export const readBody = waitingStage<Received, Received & HasBody, BodyRead>('read body', {
  find: ({ request }) => request.readBody(BODY_BYTES_MAX),
  take(write, body) {
    if (!body.ok) return statusAnswer(body.status);
    const { bytes } = body;
    return noted(write, { bytes, sizeBytes: bytes.length });
  },
});

interface ObjectOptions {
  readonly fieldValidation: FieldValidation;
}

type Undecoded = Received & HasBody & HasOptions<ObjectOptions>;

/** What a body is read as: mostly the resource itself, in its version of the request. */
interface Reading {
  /** The type that the body is read as. */
  readonly spoken: (write: Received) => ServedResource;
  /** Group versions that are taken as if they were the one that is spoken. */
  readonly alsoSpeaks: readonly string[];
}

const AS_SERVED: Reading = { spoken: ({ served }) => served, alsoSpeaks: [] };

/** The body as an object of the resource. */
export const decodeObject = decodeAs(AS_SERVED);

interface Read {
  readonly candidate: Candidate;
  /** Which of its owners stay, where some are there twice. */
  readonly owners: UniqueOwners | undefined;
}

/** The body as an object of what the reading says. */
export function decodeAs(reading: Reading): Stage<Undecoded, Undecoded & HasSent> {
  const { spoken, alsoSpeaks } = reading;
  return waitingStage<Undecoded, Undecoded & HasSent, Read>('decode', {
    find(write, { decoder: plain }) {
      const { request, bytes, sizeBytes } = write;
      const served = spoken(write);
      const decoder = understanding(plain, served, alsoSpeaks);
      // Also where the client is not told of it: a repeated key is read into the value that it has.
      const decoded = wholeOf(decodeBody(decoder, request, bytes, 'in parts'), sizeBytes);
      const read = (whole: Decoded): MaybePromise<Read> =>
        sizeBytes < LARGE_BYTES
          ? withOwners(typed(write, served, whole))
          : doneInSlices(sizeBytes, () =>
              withOwners(remembered(() => typed(write, served, whole))),
            );
      return decoded instanceof Promise ? decoded.then(read) : read(decoded);
    },
    take(write, { candidate, owners }, { decoder: plain }) {
      if (!candidate.ok) return statusAnswer(candidate.status);
      const { request, bytes } = write;
      const served = spoken(write);
      record(request, served, candidate.object);
      const again = (): KubeObject => {
        const decoder = understanding(plain, served, alsoSpeaks);
        const once = typed(write, served, decodeBody(decoder, request, bytes, true));
        if (!once.ok) throw new Error('a body that was read once cannot be read again');
        return once.object;
      };
      return noted(write, {
        sent: sentObject(request, { first: candidate.object, owners }, again),
      });
    },
  });
}

function withOwners(candidate: Candidate): Read {
  return { candidate, owners: candidate.ok ? uniqueOwners(candidate.object) : undefined };
}

/** Does what the decoder has left to do of a large body, each part in a turn of its own. */
export function wholeOf(decoded: Decoded, sizeBytes: number): MaybePromise<Decoded> {
  return decoded.ok && decoded.rest !== undefined ? inTurns(decoded, sizeBytes) : decoded;
}

async function inTurns(first: Decoded, sizeBytes: number): Promise<Decoded> {
  let decoded = first;
  while (decoded.ok && decoded.rest !== undefined) {
    await restOf(sizeBytes)?.();
    decoded = decoded.rest();
  }
  await restOf(sizeBytes)?.();
  return decoded;
}

/**
 * It is written down as Kubernetes has it behind its decoder: with the defaults of its version.
 *
 * In Kubernetes: LogRequestObject, apiserver/pkg/audit.
 */
function record(
  { record: kept }: AuthenticatedRequest,
  { setDefaults }: ServedResource,
  object: KubeObject,
): void {
  if (kept === undefined) return;
  if (!kept.keepsRequests || setDefaults === undefined) {
    kept.requested(object);
    return;
  }
  const defaulted = copyJson(object);
  setDefaults(defaulted);
  kept.requested(defaulted);
}

/** The first object is at hand; only an attempt that was overtaken has to read the body again. */
function sentObject(
  request: AuthenticatedRequest,
  { first, owners }: { readonly first: KubeObject; readonly owners: UniqueOwners | undefined },
  again: () => KubeObject,
): SentObject {
  let isTaken = false;
  return {
    first,
    take() {
      if (isTaken) {
        const next = again();
        dropDuplicateOwners(request, next, 'request');
        return next;
      }
      isTaken = true;
      keepUnique(request, first, { owners, foundIn: 'request' });
      return first;
    },
  };
}

function typed(
  { request, bytes, options }: Undecoded,
  served: ServedResource,
  decoded: Decoded,
): Candidate {
  if (!decoded.ok) return unrecognized(served, decoded.status, bytes);
  const { value } = decoded;
  if (value !== null && !isJsonObject(value)) {
    return unrecognized(served, badRequest(noObject(value)), bytes);
  }
  const candidate = candidateOf(served, value ?? {}, {
    repeats: decoded.repeats,
    text: () => bytes.toString(),
    isLenient: options.fieldValidation === 'Ignore',
    isSorted: baseMediaType(String(request.headers['content-type'] ?? '')).endsWith('yaml'),
  });
  if (!candidate.ok) return notRead(served, candidate, bytes);
  const strict = checkStrict(request, candidate.strictErrors, options.fieldValidation);
  if (strict === undefined) return candidate;
  return refused(served, cannotBeHandled(served, strict));
}

function notRead(
  served: ServedResource,
  candidate: Extract<Candidate, { readonly ok: false }>,
  bytes: Buffer,
): Candidate {
  const { misfit, isUnrecognized, status } = candidate;
  if (misfit === undefined) return candidate;
  return isUnrecognized === true
    ? unrecognized(served, badRequest(misfit), bytes)
    : refused(served, status);
}

/**
 * Upstream decodes the Scale of a custom resource well, and fails to say what is wrong with one: the
 * register that it asks for the name of the kind has no Scale.
 */
function refused({ custom, facts }: ServedResource, status: Status): Candidate {
  const isCustomScale = custom !== undefined && facts.typeId !== '';
  return { ok: false, status: isCustomScale ? badRequest(NO_SCALE) : status };
}

const NO_SCALE =
  'no kind is registered for the type v1.Scale in scheme "pkg/apiserver/customresource_handler.go:781"';

function understanding(
  decoder: BodyDecoder,
  { apiVersion }: ServedResource,
  alsoSpeaks: readonly string[],
): BodyDecoder {
  if (alsoSpeaks.length === 0) return decoder;
  return {
    refusal: (contentType) => decoder.refusal(contentType),
    decode(bytes, contentType, strict) {
      const decoded = decoder.decode(bytes, contentType, Boolean(strict));
      if (!decoded.ok || !isJsonObject(decoded.value)) return decoded;
      const { apiVersion: said } = decoded.value;
      if (typeof said === 'string' && alsoSpeaks.includes(said)) {
        decoded.value['apiVersion'] = apiVersion;
      }
      return decoded;
    },
  };
}

/**
 * The body as a value; what is no JSON is refused in the words in which Go looks for the kind.
 *
 * @param strict whether to look for keys that stand in an object twice.
 */
export function decodeBody(
  decoder: BodyDecoder,
  { headers }: AuthenticatedRequest,
  bytes: Buffer,
  strict: Strictness = false,
): Decoded {
  const contentType = contentTypeOf(headers);
  const decoded = decoder.decode(bytes, contentType, strict);
  const isJson = contentType === '' || contentType.toLowerCase().startsWith('application/json');
  return isJson ? withoutKindFound(decoded) : decoded;
}

/** As the client says it; '' where it says nothing. */
export function contentTypeOf(headers: AuthenticatedRequest['headers']): string {
  return String(headers['content-type'] ?? '');
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

const SUMMARY_BYTES = 30;
const OPEN_BRACE = 0x7b;

/** In Kubernetes: transformDecodeError with summarizeData, apiserver/pkg/endpoints/handlers/rest.go. */
function unrecognized(served: ServedResource, status: Status, bytes: Buffer): Candidate {
  if (status.code !== 400) return { ok: false, status };
  const why = `${status.message ?? ''} (${summaryOf(bytes)})`;
  const { kind } = served.facts;
  const what = `the object provided is unrecognized (must be of type ${kind}): ${why}`;
  return refused(served, badRequest(what));
}

function summaryOf(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const head = bytes.subarray(0, SUMMARY_BYTES);
  const text = bytes[0] === OPEN_BRACE ? head.toString() : head.toString('hex');
  return bytes.length > SUMMARY_BYTES ? `${text} ...` : text;
}
