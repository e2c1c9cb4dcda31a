/**
 * Logs over WebSocket, as browsers read them: one message for each piece that comes, as bytes or as base64. An
 * empty message in front says that the log is open.
 *
 * In Kubernetes: Reader, k8s.io/streaming/pkg/httpstream/wsstream.
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type Answer, statusAnswer, type UpgradedClient } from '../../actors/request/answer.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { BEARER_PROTOCOL_PREFIX } from '../../actors/authentication/bearer-token.ts';
import { badRequest } from '../../api/meta/status.ts';
import { offeredProtocols, opened } from './web-socket-streams.ts';

const BASE64 = 'base64.binary.k8s.io';
const PROTOCOLS: readonly string[] = ['binary.k8s.io', BASE64];
const NORMAL_CLOSURE = 1_000;
const INTERNAL_ERROR = 1_011;

type OpenWebSocket = Parameters<Parameters<typeof opened>[2]>[0];

/** The log as messages, or a refusal of what the client offers. The log is left where nothing is opened. */
export function logOverWebSocket(request: ReceivedRequest, log: IncomingMessage): Answer {
  const offered = offeredProtocols(request).filter(
    (one) => one !== '' && !one.startsWith(BEARER_PROTOCOL_PREFIX),
  );
  const protocol = offered.find((one) => PROTOCOLS.includes(one));
  if (protocol === undefined && offered.length > 0) {
    log.destroy();
    return statusAnswer(badRequest(`none of the protocols is known: ${offered.join(', ')}`));
  }
  return {
    kind: 'Upgrade',
    begin(client) {
      opened(client, protocol ?? '', (webSocket) => {
        sent(log, { webSocket, client, isText: protocol === BASE64 }).then(
          () => webSocket.close(NORMAL_CLOSURE),
          () => webSocket.close(INTERNAL_ERROR),
        );
      });
      // A handshake that `ws` has refused has ended the socket.
      if (client.socket.writableEnded) log.destroy();
    },
  };
}

interface Reader {
  readonly webSocket: OpenWebSocket;
  readonly client: UpgradedClient;
  readonly isText: boolean;
}

/** Sends as fast as the client takes. @throws where the log breaks off. */
async function sent(log: IncomingMessage, { webSocket, client, isText }: Reader): Promise<void> {
  const { socket } = client;
  webSocket.on('error', () => {
    webSocket.terminate();
  });
  const gone = once(webSocket, 'close').then(() => log.destroy());
  const send = (bytes: Buffer): void => {
    webSocket.send(isText ? bytes.toString('base64') : bytes, { binary: !isText });
  };
  send(Buffer.alloc(0));
  for await (const chunk of log as AsyncIterable<Buffer>) {
    if (webSocket.readyState !== webSocket.OPEN) return;
    send(chunk);
    if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), gone]);
  }
}
