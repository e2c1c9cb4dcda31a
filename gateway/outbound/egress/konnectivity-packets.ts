/**
 * The packets of a konnectivity tunnel on the wire. Of a packet one field counts, which its type
 * names; numbers of connections are what the agent counts, so they fit into ours.
 *
 * In Kubernetes: apiserver-network-proxy/konnectivity-client/proto/client/client.proto.
 */
import { ProtobufError } from '../../../api/protobuf/protobuf-reader.ts';
import { encodeWireMessage, WireMessage } from '../../../api/protobuf/wire-message.ts';

/** The one method of a Konnectivity server, a stream in both directions. */
export const PROXY_METHOD = '/ProxyService/Proxy';

/** By their numbers. */
const TYPES = ['DIAL_REQ', 'DIAL_RSP', 'CLOSE_REQ', 'CLOSE_RSP', 'DATA', 'DIAL_CLS', 'DRAIN'];
const DIAL_RSP = 1;
const CLOSE_REQ = 2;
const CLOSE_RSP = 3;
const DATA = 4;
const DIAL_CLS = 5;

/** What we send. */
export type SentPacket =
  | { readonly type: 'DIAL_REQ'; readonly address: string; readonly random: number }
  | { readonly type: 'DIAL_CLS'; readonly random: number }
  | { readonly type: 'DATA'; readonly connection: number; readonly data: Uint8Array }
  | { readonly type: 'CLOSE_REQ'; readonly connection: number };

/** What we get; `other`: of no meaning for us. */
export type ReceivedPacket =
  | {
      readonly type: 'DIAL_RSP';
      /** '': it was reached. */
      readonly error: string;
      readonly connection: number;
      readonly random: number;
    }
  | { readonly type: 'DIAL_CLS'; readonly random: number }
  | { readonly type: 'DATA'; readonly connection: number; readonly data: Buffer }
  | { readonly type: 'CLOSE_RSP'; readonly error: string; readonly connection: number }
  | { readonly type: 'other'; readonly name: string };

/** A packet as the proxy reads it. */
export function encodePacket(packet: SentPacket): Buffer {
  switch (packet.type) {
    case 'DIAL_REQ': {
      const request = encodeWireMessage({ 1: 'tcp', 2: packet.address, 3: packet.random });
      return encodeWireMessage({ 2: request });
    }
    case 'DIAL_CLS':
      return encodeWireMessage({ 1: DIAL_CLS, 7: encodeWireMessage({ 1: packet.random }) });
    case 'DATA': {
      const { connection, data } = packet;
      return encodeWireMessage({ 1: DATA, 4: encodeWireMessage({ 1: connection, 3: data }) });
    }
    case 'CLOSE_REQ':
      return encodeWireMessage({ 1: CLOSE_REQ, 5: encodeWireMessage({ 1: packet.connection }) });
  }
}

/** @throws {ProtobufError} */
export function decodePacket(bytes: Uint8Array): ReceivedPacket {
  const packet = new WireMessage(bytes);
  const type = packet.number(1);
  switch (type) {
    case DIAL_RSP: {
      const response = new WireMessage(packet.bytes(3));
      const [connection, random] = [idAt(response, 2), idAt(response, 3)];
      return { type: 'DIAL_RSP', error: response.text(1), connection, random };
    }
    case DIAL_CLS:
      return { type: 'DIAL_CLS', random: idAt(new WireMessage(packet.bytes(7)), 1) };
    case DATA: {
      const data = new WireMessage(packet.bytes(4));
      return { type: 'DATA', connection: idAt(data, 1), data: data.bytes(3) };
    }
    case CLOSE_RSP: {
      const response = new WireMessage(packet.bytes(6));
      return { type: 'CLOSE_RSP', error: response.text(1), connection: idAt(response, 2) };
    }
    default:
      return { type: 'other', name: TYPES[type] ?? 'Unknown' };
  }
}

/** A number that we could not give back as it was is worse than none. */
function idAt(message: WireMessage, field: number): number {
  const id = message.number(field);
  if (!Number.isSafeInteger(id)) throw new ProtobufError('a number that is too large');
  return id;
}
