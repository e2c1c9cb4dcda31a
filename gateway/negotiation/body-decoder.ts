/** Bodies of every media type that is taken, as JSON values. */
import { badRequest, unsupportedMediaType } from '../../api/meta/status.ts';
import type { JsonValue } from '../../api/meta/json.ts';
import { typeIdOfKind } from '../../api/scheme/type-facts.ts';
import type { BodyDecoder, Decoded } from '../../actors/registry/write-room.ts';
import { decodeProtobuf } from './protobuf-codec.ts';
import { parseYaml } from './yaml-codec.ts';

type Decode = (bytes: Buffer) => JsonValue;

const DECODERS: Readonly<Record<string, Decode>> = {
  'application/json': (bytes) => JSON.parse(bytes.toString()) as JsonValue,
  'application/yaml': (bytes) => parseYaml(bytes),
  'application/vnd.kubernetes.protobuf': (bytes) => decodeProtobuf(bytes, typeIdOfKind),
};

export const bodyDecoder: BodyDecoder = {
  decode(bytes: Buffer, contentType: string): Decoded {
    const [mediaType = ''] = contentType.split(';');
    const type = mediaType.trim().toLowerCase();
    // Without a media type it is taken for JSON, as kube-apiserver takes it.
    const decode = type === '' ? DECODERS['application/json'] : DECODERS[type];
    if (decode === undefined) {
      return { ok: false, status: unsupportedMediaType(contentType, Object.keys(DECODERS)) };
    }
    try {
      return { ok: true, value: decode(bytes) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { ok: false, status: badRequest(why) };
    }
  },
};
