/** What plugins beside the server answer, and what the server has kept of it: KMS and konnectivity. */
import { encodeWireMessage } from '../../../api/protobuf/wire-message.ts';
import { ProtobufError } from '../../../api/protobuf/protobuf-reader.ts';
import { decodePacket } from '../../../gateway/outbound/egress/konnectivity-packets.ts';
import { DECRYPT, ENCRYPT, STATUS } from '../../../streams/encryption/kms-client.ts';
import {
  decodeEncryptedObject,
  encodeEncryptedObject,
  sealedSeedProblem,
  seedKeyOf,
} from '../../../streams/encryption/encrypted-object.ts';
import { KmsProvider } from '../../../streams/encryption/kms-provider.ts';
import { UnreadableValueError } from '../../../streams/encryption/sealing-provider.ts';
import { bufferOf, decodedBy, holds, type FuzzTarget } from '../fuzz-target.ts';

const PLAIN = Buffer.from('plain text');
const PLACE = Buffer.from('place');
const SEALED = {
  keyId: 'key',
  ciphertext: Buffer.from('sealed seed'),
  annotations: new Map([['region.kms.example', Buffer.from('north')]]),
};
const nothing = (): void => undefined;
/** A provider that has asked its service, which knows one seed and no other. */
const provider = new KmsProvider(
  {
    name: 'vault',
    service: {
      status: () => Promise.resolve({ version: 'v2', healthz: 'ok', keyId: SEALED.keyId }),
      encrypt: () => Promise.resolve(SEALED),
      decrypt: () => Promise.reject(new Error('unknown')),
      close: nothing,
    },
    clock: { now: () => 0, after: () => nothing },
    meters: {
      called: nothing,
      keyUsed: nothing,
      keyReported: nothing,
      invalidKeyReported: nothing,
      seedsCached: nothing,
      seedMissed: nothing,
    },
  },
  { checked: nothing, rotated: nothing },
);
await provider.probe.check();

/** Seals anew what was read, and reads that. */
function objectComesBack(input: Buffer): void {
  // Both name what is wrong in their own words; the caller words them anew.
  const object = decodedBy([Error, ProtobufError], () => decodeEncryptedObject(input));
  if (object === undefined) return;
  const again = decodeEncryptedObject(encodeEncryptedObject(object));
  holds(seedKeyOf(again.seed) === seedKeyOf(object.seed), 'a seed comes back');
  holds(Buffer.from(again.data).equals(object.data), 'and what is sealed under it');
}

const pluginMessages: FuzzTarget = {
  seeds: [
    provider.seal(PLAIN, PLACE),
    encodeEncryptedObject({ data: Buffer.alloc(80), seed: SEALED }),
    encodeWireMessage({ 1: 'v2', 2: 'ok', 3: 'key' }),
    encodeWireMessage({ 1: SEALED.ciphertext, 2: 'key', 3: SEALED.annotations }),
    DECRYPT.encode({ uid: 'u', sealed: SEALED }),
    encodeWireMessage({ 1: 1, 3: encodeWireMessage({ 1: 'refused', 2: 5, 3: 7 }) }),
    encodeWireMessage({ 1: 4, 4: encodeWireMessage({ 1: 5, 3: Buffer.from('data') }) }),
    encodeWireMessage({ 1: 3, 6: encodeWireMessage({ 1: 'gone', 2: 5 }) }),
  ],
  dictionary: [
    'region.kms.example',
    '\xff\xff\xff\xff\x0f',
    '"\x00',
    '(\x01',
    '\x08\x04',
    '\xc3\x28',
  ],
  stretchedBytesMax: 256 * 1024,
  run(input) {
    const bytes = bufferOf(input);
    objectComesBack(bytes);
    const opened = decodedBy([UnreadableValueError], () => provider.open(bytes, PLACE));
    if (opened !== undefined) holds(opened.plain.equals(PLAIN), 'only what was sealed is opened');
    decodedBy([ProtobufError], () => STATUS.decode(bytes));
    decodedBy([ProtobufError], () => DECRYPT.decode(bytes));
    const sealed = decodedBy([ProtobufError], () => ENCRYPT.decode(bytes));
    if (sealed !== undefined) holds(sealedSeedProblem(sealed) !== '', 'a refusal says why');
    const packet = decodedBy([ProtobufError], () => decodePacket(bytes));
    if (packet !== undefined && 'connection' in packet) {
      holds(Number.isSafeInteger(packet.connection), 'numbers are numbers');
    }
  },
};

export const targets: Readonly<Record<string, FuzzTarget>> = { 'plugin-messages': pluginMessages };
