/** What a live connection needs of what lies under it: a WebSocket, or a stream of Server-Sent Events. */
import { formatJson } from '../../api/json/json-text.ts';
import type { JsonObject } from '../../api/json/json.ts';
import type { ServerMessage } from '../../api/live/live-messages.ts';

/** A message on its way out. */
export interface OutgoingMessage {
  /** As in its JSON. */
  readonly type: ServerMessage['type'];
  /** Its JSON, in pieces. */
  readonly parts: readonly Buffer[];
}

/** The wire under a live connection. */
export interface LiveWire {
  /** Whether so much waits that the client has not taken that nothing should be added. */
  readonly isFull: boolean;
  /** Takes the message in any case; it goes out with the next {@link flush}. */
  send(message: OutgoingMessage): void;
  /** Has what was taken go out. */
  flush(): void;
  /** All that is subscribed to can go on from there. Left out: places are those of each subscription. */
  reached?(revision: string): void;
  /** Sends what there is, then ends. */
  close(code: number, reason: string): void;
}

/** A message that is made whole. */
export function outgoing(message: ServerMessage): OutgoingMessage {
  const value = message as JsonObject; // Messages are JSON by their schemas.
  return { type: message.type, parts: [Buffer.from(formatJson(value))] };
}
