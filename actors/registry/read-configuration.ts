/**
 * Body → apply configuration: YAML, which JSON is too. It is read by no type; what does not fit is
 * found when it is merged.
 *
 * In Kubernetes: newApplyPatcher, apiserver/pkg/endpoints/handlers/patch.go.
 */
import { baseMediaType } from '../../api/meta/base-media-type.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/meta/json.ts';
import { parsePatchOptions, type PatchOptions } from '../../api/meta/options.ts';
import { badRequest, type Status } from '../../api/meta/status.ts';
import { isDeeperThan } from '../../api/patch/json-tree.ts';
import { statusAnswer, type Answer } from '../answer.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { guarded, slicedGuarded } from './guarded.ts';
import { BODY_BYTES_MAX, type Decoded, type WriteRoom } from './write-room.ts';

export const APPLY_PATCH = 'application/apply-patch+yaml';

/** Whether what is sent is a configuration to be applied. */
export function isApply(request: AuthenticatedRequest): boolean {
  return mediaTypeOf(request) === APPLY_PATCH;
}

/** The type without its parameters, in lower case. */
export function mediaTypeOf({ headers }: AuthenticatedRequest): string {
  return baseMediaType(String(headers['content-type'] ?? ''));
}

/** The depth at which YAML is refused, whatever the configuration is written in. */
const DEPTH_MAX = 500;
const TOO_DEEP = 'yaml: exceeded max depth';

/** What somebody wants of an object. */
export interface Configuration {
  readonly options: PatchOptions;
  /** Each call gives a value of its own, so that an attempt may change what came of it. */
  readonly applied: () => JsonObject;
  /** What YAML says of keys that stand there twice; '' for nothing, or when nobody asked. */
  readonly yamlProblem: string;
}

/** Reads options and body: either it is answered what is wrong with them, or `ready` is called. */
export function readConfiguration(
  room: WriteRoom,
  request: AuthenticatedRequest,
  done: (answer: Answer) => void,
  ready: (configuration: Configuration) => void,
): void {
  const parsed = parsePatchOptions(request.query, true);
  if (!parsed.ok) {
    done(statusAnswer(parsed.status));
    return;
  }
  const { options } = parsed;
  request.readBody(
    BODY_BYTES_MAX,
    guarded(room, done, (body) => {
      const decoded = body.ok ? decodeConfiguration(room, options, body.bytes) : body;
      if (body.ok && decoded.ok) {
        const { value, yamlProblem } = decoded;
        request.record?.patched(value);
        const again = (): JsonObject => readAgain(room, options, body.bytes);
        slicedGuarded(room, done, body.bytes.length, () => {
          ready({ options, yamlProblem, applied: firstThen(value, again) });
        });
      } else if (!decoded.ok) {
        done(statusAnswer(decoded.status));
      }
    }),
  );
}

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

function decodeConfiguration(
  room: Pick<WriteRoom, 'decoder'>,
  { fieldValidation }: PatchOptions,
  bytes: Buffer,
): DecodedConfiguration {
  const decoded = decodeYamlOrJson(room, bytes, fieldValidation !== 'Ignore');
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
function decodeYamlOrJson(
  { decoder }: Pick<WriteRoom, 'decoder'>,
  bytes: Buffer,
  strict: boolean,
): Decoded {
  if (bytes[0] === OPEN_BRACE) {
    const decoded = decoder.decode(bytes, 'application/json', strict);
    if (decoded.ok && decoded.repeats === undefined) return decoded;
  }
  return decoder.decode(bytes, 'application/yaml', strict);
}

function readAgain(room: WriteRoom, options: PatchOptions, bytes: Buffer): JsonObject {
  const decoded = decodeConfiguration(room, options, bytes);
  if (!decoded.ok) throw new Error('a configuration that was read once cannot be read again');
  return decoded.value;
}

function noObject(value: JsonValue): string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const why = `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
  return `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`;
}
