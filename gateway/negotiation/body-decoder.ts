/** Bodies of every media type that is taken, as JSON values. */
import { baseMediaType } from '../../api/meta/base-media-type.ts';
import { badRequest, unsupportedMediaType, type Status } from '../../api/meta/status.ts';
import type { JsonValue } from '../../api/json/json.ts';
import { allOf, type Parts } from '../../api/json/json-parts.ts';
import { readCborInParts } from '../../api/cbor/cbor-reader.ts';
import { typeIdOfKind } from '../../api/scheme/type-facts.ts';
import { LARGE_BYTES } from '../../actors/request/large-work.ts';
import type {
  BodyDecoder,
  Decoded,
  Repeats,
  Strictness,
} from '../../actors/registry/write-context.ts';
import { readJsonBody, readJsonInParts, type JsonBody } from './json-body.ts';
import { decodeProtobuf } from './protobuf-codec.ts';
import { readYaml, readYamlInParts, type YamlBody } from './yaml-codec.ts';

interface ReadBody {
  readonly value: JsonValue;
  readonly repeats?: Repeats | undefined;
  readonly rest?: (() => Decoded) | undefined;
}

type Decode = (bytes: Buffer, strict: Strictness) => ReadBody;

const NONE_REPEATED = new Map<never, never>();

const JSON_TYPE = 'application/json';

/** By type. A Map, because the type is the client's and may be `constructor`. */
type Decoders = ReadonlyMap<string, Decode>;

const DECODERS: Decoders = new Map<string, Decode>([
  [JSON_TYPE, decodeJson],
  ['application/yaml', decodeYaml],
  [
    'application/vnd.kubernetes.protobuf',
    (bytes) => ({ value: decodeProtobuf(bytes, typeIdOfKind) }),
  ],
]);

const WITH_CBOR: Decoders = new Map([...DECODERS, ['application/cbor', decodeCbor]]);

/** Of the forms that are always there. */
export const bodyDecoder: BodyDecoder = decoderOf(DECODERS);
/** Of CBOR too: upstream's gate CBORServingAndStorage. */
export const bodyDecoderWithCbor: BodyDecoder = decoderOf(WITH_CBOR);

function decoderOf(decoders: Decoders): BodyDecoder {
  // Without a media type it is taken for JSON, as kube-apiserver takes it.
  const decoderFor = (contentType: string): Decode | undefined =>
    decoders.get(contentType === '' ? JSON_TYPE : baseMediaType(contentType));
  const unread = (): Status => unsupportedMediaType([...decoders.keys()]);
  return {
    decode(bytes: Buffer, contentType: string, strict: Strictness = false): Decoded {
      const decode = decoderFor(contentType);
      if (decode === undefined) return { ok: false, status: unread() };
      try {
        return { ok: true, ...decode(bytes, strict) };
      } catch (error) {
        return refused(error);
      }
    },
    refusal: (contentType) => (decoderFor(contentType) === undefined ? unread() : undefined),
  };
}

function refused(error: unknown): Decoded {
  const why = error instanceof Error ? error.message : String(error);
  return { ok: false, status: badRequest(why) };
}

function decodeJson(bytes: Buffer, strict: Strictness): ReadBody {
  if (strict !== 'in parts' || bytes.length < LARGE_BYTES) {
    return jsonRead(readJsonBody(bytes, strict !== false));
  }
  const parts = readJsonInParts(bytes);
  return { value: null, rest: () => nextOf(parts, jsonRead) };
}

/** Keys that stand in a map twice are refused by its reader. */
function decodeCbor(bytes: Buffer, strict: Strictness): ReadBody {
  const parts = readCborInParts(bytes);
  if (strict !== 'in parts' || bytes.length < LARGE_BYTES) return { value: allOf(parts) };
  return { value: null, rest: () => nextOf(parts, (value) => ({ value })) };
}

function jsonRead({ value, repeated }: JsonBody): ReadBody {
  return repeated === undefined
    ? { value }
    : { value, repeats: { yamlProblem: '', keys: repeated } };
}

/** Which key of a repeated one counts is settled before Go looks at the types. */
function decodeYaml(bytes: Buffer, strict: Strictness): ReadBody {
  if (strict !== 'in parts' || bytes.length < LARGE_BYTES) {
    return yamlRead(readYaml(bytes, strict !== false));
  }
  const parts = readYamlInParts(bytes, true);
  return { value: null, rest: () => nextOf(parts, yamlRead) };
}

function nextOf<Body>(parts: Parts<Body>, readOf: (body: Body) => ReadBody): Decoded {
  try {
    const part = parts.next();
    if (part.done === true) return { ok: true, ...readOf(part.value) };
    return { ok: true, value: null, rest: () => nextOf(parts, readOf) };
  } catch (error) {
    return refused(error);
  }
}

function yamlRead({ value, problem }: YamlBody): ReadBody {
  return problem === ''
    ? { value }
    : { value, repeats: { yamlProblem: problem, keys: NONE_REPEATED } };
}
