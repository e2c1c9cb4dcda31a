/** What a client sends on a connection: the heads of its requests, and their bodies. */
import { Sender } from '../sender.ts';
import type { ClientStream } from './client-stream.ts';

export class RequestSender extends Sender<ClientStream> {
  protected override sendHead(stream: ClientStream): boolean {
    const start = stream.takeHead();
    if (start === undefined) return false;
    const block = this.encoder.encodeRequest(start.line, start.headers);
    const isWhole = stream.isSaid;
    this.output.headers(stream.id, block, isWhole);
    if (isWhole) this.sent(stream);
    return true;
  }

  protected override sayBehind(): void {
    // A server needs to hear nothing more.
  }
}
