/** The answer to a request of ours, read whole. */
import type { ClientRequest, IncomingMessage } from 'node:http';

interface Reading {
  /** Sent with the request; undefined: none. */
  readonly body?: Buffer;
  /** A larger answer fails. */
  readonly bytesMax: number;
  /** The message of that failure. */
  readonly tooLarge: string;
}

/** An answer of any code. */
export interface WholeAnswer {
  /** The HTTP status. */
  readonly code: number;
  /** Of the body, as they were sent. */
  readonly bytes: Buffer;
}

/**
 * Sends the request and reads its answer. The caller ends what takes too long by destroying the request.
 *
 * @throws the error of the request or of its answer, whichever comes first.
 */
export function wholeAnswer(sent: ClientRequest, reading: Reading): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      response.on('data', (chunk: Buffer) => {
        sizeBytes += chunk.length;
        if (sizeBytes <= reading.bytesMax) chunks.push(chunk);
        else response.destroy(new Error(reading.tooLarge));
      });
      response.on('error', reject);
      response.on('end', () => {
        resolve({ code: response.statusCode ?? 0, bytes: Buffer.concat(chunks) });
      });
    });
    sent.end(reading.body);
  });
}
