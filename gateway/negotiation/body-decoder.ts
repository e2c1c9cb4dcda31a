/** Bodies of every media type that is taken, as JSON values. */
import { badRequest, unsupportedMediaType } from '../../api/meta/status.ts';
import type { JsonValue } from '../../api/meta/json.ts';
import { typeIdOfKind } from '../../api/scheme/type-facts.ts';
import type { BodyDecoder, Decoded } from '../../actors/registry/write-room.ts';
import { parseJsonBody } from './json-body.ts';
import { decodeProtobuf } from './protobuf-codec.ts';
import { parseYaml } from './yaml-codec.ts';

type Decode = (bytes: Buffer) => JsonValue;

const JSON_TYPE = 'application/json';

/** A Map, because the type is the client's and may be `constructor`. */
const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  [JSON_TYPE, parseJsonBody],
  ['application/yaml', (bytes) => parseYaml(bytes)],
  ['application/vnd.kubernetes.protobuf', (bytes) => decodeProtobuf(bytes, typeIdOfKind)],
]);

export const bodyDecoder: BodyDecoder = {
  decode(bytes: Buffer, contentType: string): Decoded {
    const [mediaType = ''] = contentType.split(';');
    // Without a media type it is taken for JSON, as kube-apiserver takes it.
    const type = contentType === '' ? JSON_TYPE : mediaType.trim().toLowerCase();
    const decode = DECODERS.get(type);
    if (decode === undefined) {
      return { ok: false, status: unsupportedMediaType([...DECODERS.keys()]) };
    }
    try {
      return { ok: true, value: decode(bytes) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { ok: false, status: badRequest(why) };
    }
  },
};
