/** Bodies of requests, in the forms in which they may be sent. */
import { CborError, readCbor } from '../../../api/cbor/cbor-reader.ts';
import { writeCbor } from '../../../api/cbor/cbor-writer.ts';
import { formatJson } from '../../../api/json/json-text.ts';
import { stringAt, type JsonValue } from '../../../api/json/json.ts';
import { readEntries } from '../../../api/json/json-reader.ts';
import { hasRepeats } from '../../../api/json/repeated-keys.ts';
import { ProtobufError } from '../../../api/protobuf/protobuf-reader.ts';
import { typeIdOfKind } from '../../../api/scheme/type-facts.ts';
import { typedCodec } from '../../../api/scheme/typed-json.ts';
import { bodyDecoder } from '../../../gateway/negotiation/body-decoder.ts';
import { readJsonBody } from '../../../gateway/negotiation/json-body.ts';
import { jsonProblem } from '../../../api/json/json-problem.ts';
import {
  decodeProtobuf,
  encodeMessage,
  encodeProtobuf,
} from '../../../gateway/negotiation/protobuf-codec.ts';
import { decodeMessage } from '../../../gateway/negotiation/protobuf-decoding.ts';
import { formatYaml, parseYaml, readYaml } from '../../../gateway/negotiation/yaml-codec.ts';
import { YamlError } from '../../../gateway/negotiation/yaml-error.ts';
import {
  bufferOf,
  decodedBy,
  holds,
  prototypesAreUntouched,
  type FuzzTarget,
} from '../fuzz-target.ts';
import { comesBack, frozen, isAnAnswer, jsonOf } from '../target-values.ts';
import { DEPLOYMENT, JSON_BODIES, KEYS, POD, YAML_BODIES } from '../seeds.ts';

const BODY_BYTES_MAX = 3 * 1024 * 1024;

const json: FuzzTarget = {
  seeds: JSON_BODIES,
  dictionary: [...KEYS, '\\ud83d', '\\u0000', '\\uDC00', '1e400', '123456789012345678'],
  stretchedBytesMax: BODY_BYTES_MAX,
  run(input) {
    const body = bufferOf(input);
    const read = decodedBy([Error], () => readJsonBody(body, false));
    const problem = jsonProblem(body);
    const plain = jsonOf(body.toString());
    holds(
      (plain === undefined) === (problem !== ''),
      'what is refused has its reason, and only that',
    );
    if (read === undefined) return;
    const again = readJsonBody(Buffer.from(formatJson(read.value)), false);
    comesBack(read.value, again.value, 'JSON');
    prototypesAreUntouched();
  },
};

const podCodec = typedCodec('io.k8s.api.core.v1.Pod');

/** The whole way of a body to the object of its type, with all that is said of unknown fields. */
const jsonStrict: FuzzTarget = {
  seeds: JSON_BODIES,
  dictionary: [...KEYS, '"name":"a","name":"b"', '"spec":{},"spec":{}', '"unknown":1'],
  stretchedBytesMax: BODY_BYTES_MAX,
  run(input) {
    const decoded = bodyDecoder.decode(bufferOf(input), 'application/json', true);
    if (!decoded.ok) {
      isAnAnswer(decoded.status);
      return;
    }
    const { value, repeats } = frozen(decoded);
    const typed = podCodec.decode(value, { collectUnknown: true, repeated: repeats?.keys });
    if (typed.ok) {
      const again = podCodec.decode(typed.value);
      holds(again.ok, 'what the codec gives it takes');
      if (again.ok) comesBack(typed.value, again.value, 'typed JSON');
      holds(typed.unknownFields.length <= 101, 'of unknown fields the first hundred are told');
    }
    repeatsAgree(bufferOf(input).toString());
    prototypesAreUntouched();
  },
};

function repeatsAgree(text: string): void {
  const value = jsonOf(text);
  // Halves of surrogate pairs are the same character to Go, which only the second look knows.
  if (value === undefined || text.length > 65_536 || /\\u[dD]/.test(text)) return;
  const counted = readEntries(text).repeated.size > 0;
  holds(hasRepeats(text, value) === counted, 'the quick look for repeated keys sees what is there');
}

const yaml: FuzzTarget = {
  seeds: YAML_BODIES,
  dictionary: [
    ...KEYS,
    ': ',
    '- ',
    '? ',
    '&a',
    '*a',
    '<<: *a',
    '!!binary ',
    '!!float ',
    '|-\n',
    '>+\n',
    '---\n',
    '...\n',
    '%YAML 1.2\n',
    '~',
    '0o7',
    '1:30',
    '.inf',
    '2026-01-01',
  ],
  stretchedBytesMax: BODY_BYTES_MAX,
  bytesMax: 512,
  run(input) {
    const read = decodedBy([YamlError], () => readYaml(input, true));
    if (read === undefined) return;
    const written = decodedBy([YamlError], () => formatYaml(read.value));
    if (written === undefined) return;
    yamlComesBack(read.value, () => parseYaml(Buffer.from(written)));
    prototypesAreUntouched();
  },
};

/** Go writes the key `<<` as it would write any, and takes it for another thing when it reads it. */
function yamlComesBack(value: JsonValue, read: () => JsonValue | undefined): void {
  if (formatJson(value).includes('"<<":')) return;
  const again = read();
  if (again !== undefined) comesBack(value, again, 'YAML');
}

/** What is stored may be asked for as YAML, whatever is in it. */
const yamlEmitter: FuzzTarget = {
  seeds: JSON_BODIES,
  dictionary: [
    ...KEYS,
    '"- "',
    '"#"',
    '"\\n"',
    '"\\u0085"',
    '" a"',
    '"null"',
    '"1e3"',
    '"0x1"',
    '"?"',
    '"\\ud83d\\ude00"',
  ],
  bytesMax: 1024,
  run(input) {
    const body = decodedBy([Error], () => readJsonBody(bufferOf(input), false));
    if (body === undefined) return;
    const { value } = body;
    const written = decodedBy([YamlError], () => formatYaml(value));
    if (written === undefined) return;
    yamlComesBack(value, () => decodedBy([YamlError], () => parseYaml(Buffer.from(written))));
  },
};

const protobufSeeds = [POD, DEPLOYMENT].map((object) =>
  encodeProtobuf(object, typeIdOfKind(object.apiVersion, object.kind) ?? ''),
);

const protobuf: FuzzTarget = {
  seeds: protobufSeeds,
  dictionary: [
    'k8s\0',
    '\n\x02v1',
    '\x12\x03Pod',
    'apps/v1',
    'Deployment',
    '\xff\xff\xff\xff\x0f',
    'Status',
    'DeleteOptions',
    'CustomResourceDefinition',
  ],
  stretchedBytesMax: BODY_BYTES_MAX,
  run(input) {
    const object = decodedBy([ProtobufError], () => decodeProtobuf(input, typeIdOfKind));
    if (object === undefined) return;
    const typeId = typeIdOfKind(stringAt(object, 'apiVersion'), stringAt(object, 'kind')) ?? '';
    const typed = typedCodec(typeId).decode(object);
    if (!typed.ok) return;
    const again = decodeProtobuf(encodeProtobuf(typed.value, typeId), typeIdOfKind);
    const twice = decodeProtobuf(encodeProtobuf(again, typeId), typeIdOfKind);
    comesBack(again, twice, 'protobuf');
    prototypesAreUntouched();
  },
};

const BODY_TYPES = [
  'io.k8s.api.core.v1.Pod',
  'io.k8s.api.core.v1.Secret',
  'io.k8s.api.core.v1.Event',
  'io.k8s.api.apps.v1.StatefulSet',
  'io.k8s.api.rbac.v1.ClusterRole',
  'io.k8s.api.batch.v1.CronJob',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
  'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
];

/** The first byte chooses the type, the rest is the message without its envelope. */
const protobufBodies: FuzzTarget = {
  seeds: [
    Buffer.concat([Buffer.of(0), encodeMessage(POD, BODY_TYPES[0] ?? '')]),
    Buffer.concat([Buffer.of(3), encodeMessage(DEPLOYMENT, 'io.k8s.api.apps.v1.Deployment')]),
    ...BODY_TYPES.map((_, at) => Buffer.of(at, 0x0a, 0x05, 0x0a, 0x03, 0x61, 0x62, 0x63)),
  ],
  dictionary: [
    '\n\x00',
    '\x12\x00',
    '\x1a\x00',
    '"\x00',
    '\x08\x01',
    '\xff\xff\xff\xff\xff\xff\xff\xff\x7f',
  ],
  run(input) {
    const typeId = BODY_TYPES[(input[0] ?? 0) % BODY_TYPES.length] ?? '';
    const object = decodedBy([ProtobufError], () => decodeMessage(input.subarray(1), typeId));
    if (object === undefined) return;
    const again = decodeMessage(encodeMessage(object, typeId), typeId);
    comesBack(again, decodeMessage(encodeMessage(again, typeId), typeId), 'protobuf');
    prototypesAreUntouched();
  },
};

const cbor: FuzzTarget = {
  seeds: [writeCbor(POD), writeCbor(DEPLOYMENT), Buffer.from('bf61610161629f0203ffff', 'hex')],
  dictionary: [
    '\xd9\xd9\xf7',
    '\xbf',
    '\x9f',
    '\xff',
    '\x5f\x41',
    '\xd6\x41',
    '\xc1\xfb',
    '\xf9\x7e',
  ],
  stretchedBytesMax: BODY_BYTES_MAX,
  run(input) {
    const value = decodedBy([CborError], () => readCbor(input));
    if (value === undefined) return;
    comesBack(value, readCbor(writeCbor(value)), 'CBOR');
    prototypesAreUntouched();
  },
};

export const targets: Readonly<Record<string, FuzzTarget>> = {
  json,
  'json-strict': jsonStrict,
  yaml,
  'yaml-emitter': yamlEmitter,
  protobuf,
  'protobuf-bodies': protobufBodies,
  cbor,
};
