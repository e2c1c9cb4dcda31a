/**
 * Body → apply configuration: YAML, which JSON is too, or CBOR; and what it makes of an object, with its
 * managers. It is read by no type; what does not fit is found when it is merged.
 *
 * In Kubernetes: newApplyPatcher, apiserver/pkg/endpoints/handlers/patch.go.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { converterMisfit } from '../../../api/scheme/converter-misfit.ts';
import { parsePatchOptions, type PatchOptions } from '../../../api/options/options.ts';
import {
  applyConflict,
  badRequest,
  type Status,
  unclassifiedFailure,
} from '../../../api/meta/status.ts';
import { isDeeperThan } from '../../../api/json/json-tree.ts';
import { statusAnswer } from '../../request/answer.ts';
import { doneInSlices, LARGE_BYTES, restOf } from '../../request/large-work.ts';
import { type Stage, waitingStage } from '../stage.ts';
import { type HasBody, type HasOptions, noted, type Received } from '../write.ts';
import type { BodyDecoder, Decoded, WriteContext } from '../write-context.ts';
import { wholeOf } from './decode-object.ts';
import { isCborApply } from './read-patch.ts';
import { managedApply } from '../../../api/managed-fields/field-manager.ts';
import type { Applied, ManagedResource } from '../../../api/managed-fields/managed-resource.ts';
import { formatTime } from '../../../api/meta/clock.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import {
  type Candidate,
  candidateOf,
  type SaidName,
  saidNameOf,
} from '../objects/read-candidate.ts';
import { warnOf } from '../objects/strict-decoding.ts';

/** The depth at which YAML is refused, whatever the configuration is written in. */
const DEPTH_MAX = 500;
const TOO_DEEP = 'yaml: exceeded max depth';
const APPLIED = { isApplied: true };

/** What a field manager wants of an object. */
interface Configuration {
  readonly options: PatchOptions;
  /** Each call gives a value of its own, so that an attempt may change what came of it. */
  readonly applied: () => JsonObject;
  /** What YAML says of keys that stand there twice; '' for nothing, or when it was not asked for. */
  readonly yamlProblem: string;
}

/** The body of an apply: fields that the manager wants to own, and no other. */
export interface HasConfiguration {
  readonly configuration: Configuration;
}

/** The options of an apply, whose `fieldManager` is required; 400 says what is wrong with them. */
export const applyOptions: Stage<Received, Received & HasOptions<PatchOptions>> = {
  name: 'options',
  run(write) {
    const parsed = parsePatchOptions(write.request.query, true);
    return parsed.ok ? noted(write, { options: parsed.options }) : statusAnswer(parsed.status);
  },
};

type Undecoded = Received & HasOptions<PatchOptions> & HasBody;

/** Reads the YAML; a large one in turns of its own, so that others are served meanwhile. */
export const decodeConfiguration = waitingStage<
  Undecoded,
  Undecoded & HasConfiguration,
  DecodedConfiguration
>('decode', {
  find({ request, options, bytes }, { decoder }) {
    const isStrict = options.fieldValidation !== 'Ignore';
    if (isCborApply(request)) return cborRead(decoder, bytes);
    return bytes.length < LARGE_BYTES
      ? readAs(decodedAtOnce(decoder, bytes, isStrict))
      : readInTurns(decoder, bytes, isStrict);
  },
  take(write, read, { decoder }) {
    if (!read.ok) return statusAnswer(read.status);
    const { request, options } = write;
    const { value, yamlProblem } = read;
    request.record?.patched(value);
    const again = (): JsonObject => readAgain(decoder, write);
    const configuration = { options, yamlProblem, applied: firstThen(value, again) };
    return noted(write, { configuration });
  },
});

/** Gives the value that is at hand, and from then on new ones. */
function firstThen<Value>(value: Value, again: () => Value): () => Value {
  let first: Value | undefined = value;
  return () => {
    const next = first ?? again();
    first = undefined;
    return next;
  };
}

type DecodedConfiguration =
  | { readonly ok: true; readonly value: JsonObject; readonly yamlProblem: string }
  | { readonly ok: false; readonly status: Status };

function readAs(decoded: Decoded): DecodedConfiguration {
  const converting = 'error decoding YAML: error converting YAML to JSON: ';
  if (!decoded.ok) {
    const { status } = decoded;
    const told = status.code === 400 ? badRequest(converting + (status.message ?? '')) : status;
    return { ok: false, status: told };
  }
  const value = decoded.value ?? {};
  if (!isJsonObject(value)) return { ok: false, status: badRequest(noObject(value)) };
  if (isDeeperThan(value, DEPTH_MAX)) {
    return { ok: false, status: badRequest(converting + TOO_DEEP) };
  }
  return { ok: true, value, yamlProblem: decoded.repeats?.yamlProblem ?? '' };
}

const OPEN_BRACE = 0x7b;

/** JSON is YAML; most programs send it, and it is read much faster by its own parser. */
function decodedAtOnce(decoder: BodyDecoder, bytes: Buffer, isStrict: boolean): Decoded {
  if (bytes[0] === OPEN_BRACE) {
    const json = decoder.decode(bytes, 'application/json', isStrict);
    if (isPlain(json)) return json;
  }
  return decoder.decode(bytes, 'application/yaml', isStrict);
}

/** As {@link decodedAtOnce}, of a large configuration, each part in a turn of its own. */
async function readInTurns(
  decoder: BodyDecoder,
  bytes: Buffer,
  isStrict: boolean,
): Promise<DecodedConfiguration> {
  const strictness = isStrict ? 'in parts' : false;
  const decode = (contentType: string) =>
    wholeOf(decoder.decode(bytes, contentType, strictness), bytes.length);
  const json = bytes[0] === OPEN_BRACE ? await decode('application/json') : undefined;
  const decoded = json !== undefined && isPlain(json) ? json : await decode('application/yaml');
  return doneInSlices(bytes.length, () => readAs(decoded));
}

/** Of keys that stand there twice YAML tells in other words. */
function isPlain(json: Decoded): boolean {
  return json.ok && json.repeats === undefined;
}

function readAgain(decoder: BodyDecoder, { request, options, bytes }: Undecoded): JsonObject {
  const decoded = isCborApply(request)
    ? cborAs(decoder.decode(bytes, CBOR))
    : readAs(decodedAtOnce(decoder, bytes, options.fieldValidation !== 'Ignore'));
  if (!decoded.ok) throw new Error('a configuration that was read once cannot be read again');
  return decoded.value;
}

const CBOR = 'application/cbor';

/** In parts where it is large. Keys that stand there twice are refused whatever is asked of fields. */
function cborRead(decoder: BodyDecoder, bytes: Buffer): MaybePromise<DecodedConfiguration> {
  return andThen(wholeOf(decoder.decode(bytes, CBOR, 'in parts'), bytes.length), cborAs);
}

function cborAs(decoded: Decoded): DecodedConfiguration {
  const refused = (why: string) => ({ ok: false, status: badRequest(DECODING + why) }) as const;
  if (!decoded.ok) return refused(decoded.status.message ?? '');
  const value = decoded.value ?? {};
  if (!isJsonObject(value)) {
    return refused('cbor: cannot unmarshal it into Go value of type map[string]interface {}');
  }
  if (isDeeperThan(value, DEPTH_MAX)) return refused(TOO_DEEP);
  return { ok: true, value, yamlProblem: '' };
}

/** Whatever it is written in. */
const DECODING = 'error decoding YAML: ';

function noObject(value: JsonValue): string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const why = `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
  return `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`;
}

interface Application {
  readonly request: AuthenticatedRequest;
  /** The resource in the version of the configuration. */
  readonly served: ServedResource;
  readonly configuration: Configuration;
  /** Of the configuration or of what it is applied to, whichever is more. */
  readonly sizeBytes: number;
}

/** The merged object with its managers, or 409 with the fields that others own. */
export type AppliedObject =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly status: Status };

/**
 * What the configuration makes of the live object, with its managers: of its type, without its
 * defaults. What it made may share parts with the live object, which is not to be used any more.
 *
 * @param live in the version of the configuration; undefined when there is no object yet.
 */
export function appliedObject(
  context: Pick<WriteContext, 'clock'>,
  application: Application,
  resource: ManagedResource,
  live: JsonObject | undefined,
): MaybePromise<AppliedObject> {
  const { configuration, sizeBytes } = application;
  const { options } = configuration;
  const wanted = configuration.applied();
  const sent = saidNameOf(wanted);
  const applied = managedApply(resource, {
    live,
    applied: wanted,
    manager: options.fieldManager,
    force: options.force,
    now: formatTime(context.clock.now()),
    rest: restOf(sizeBytes),
  });
  if (applied instanceof Promise || sizeBytes >= LARGE_BYTES) {
    return fittedInTurns(application, sent, applied);
  }
  if (!applied.ok) return { ok: false, status: statusOf(applied) };
  const refused = strictRefusal(application);
  if (refused !== undefined) return { ok: false, status: refused };
  const candidate = candidateOf(application.served, applied.object, APPLIED);
  return fitting(application, sent, applied.object, candidate);
}

/** What an apply of a large object, or of one that a webhook converts, makes. */
async function fittedInTurns(
  application: Application,
  sent: SaidName,
  applying: MaybePromise<Applied>,
): Promise<AppliedObject> {
  const { served, sizeBytes } = application;
  const applied = await applying;
  await restOf(sizeBytes)?.();
  if (!applied.ok) return { ok: false, status: statusOf(applied) };
  const refused = strictRefusal(application);
  if (refused !== undefined) return { ok: false, status: refused };
  const candidate = await doneInSlices(sizeBytes, () =>
    candidateOf(served, applied.object, APPLIED),
  );
  return fitting(application, sent, applied.object, candidate);
}

/** Refuses what YAML has against the configuration, or warns of it. */
function strictRefusal({ request, configuration }: Application): Status | undefined {
  const { options, yamlProblem } = configuration;
  if (yamlProblem === '') return undefined;
  const strict = `error converting YAML to JSON: ${yamlProblem}`;
  if (options.fieldValidation === 'Strict') {
    return badRequest(`error strict decoding YAML: ${strict}`);
  }
  warnOf(request, [strict]);
  return undefined;
}

/** @param merged what the configuration made, which upstream reads from maps and not from JSON. */
function fitting(
  { served }: Application,
  sent: SaidName,
  merged: JsonObject,
  candidate: Candidate,
): AppliedObject {
  if (candidate.ok) return candidate;
  const { misfit, status } = candidate;
  if (misfit === undefined) return { ok: false, status };
  const { group, version, kind, typeId } = served.facts;
  const type = `${group}/${version}, Kind=${kind}`;
  const why = (typeId === '' ? undefined : converterMisfit(merged, typeId)) ?? misfit;
  const what = `failed to convert new object (${sent.namespace}/${sent.name}; ${type}) to proper version`;
  const converting = `unable to convert unstructured object to ${type}`;
  return { ok: false, status: unclassifiedFailure(`${what}: ${converting}: ${why}`) };
}

function statusOf(refused: Extract<Applied, { readonly ok: false }>): Status {
  switch (refused.reason) {
    case 'Conflict':
      return applyConflict(refused.message, refused.conflicts);
    case 'BadRequest':
      return badRequest(refused.message);
    case 'Unknown':
      return unclassifiedFailure(refused.message);
  }
}
