/** Asks the server of the build as kubectl and client-go do: over HTTP/2, with a certificate of a client. */
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';

/** Asked in JSON. */
export interface WarmUpRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Of the body. */
  readonly type?: string | undefined;
}

/** A certificate of a client and its key, in PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

const JSON_TYPE = 'application/json';

export class WarmUpClient {
  readonly #session: ClientHttp2Session;

  constructor(url: string, certificate: ClientCertificate) {
    this.#session = connect(url, { ...certificate, rejectUnauthorized: false });
    // Each of its streams hears of it as well.
    this.#session.on('error', () => undefined);
  }

  /** Resolves once it was answered with 2xx. @throws Error it was answered otherwise. */
  async ask(request: WarmUpRequest): Promise<void> {
    const stream = this.#send(request);
    const status = await statusOf(stream);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer); // No encoding is set.
    if (status < 200 || status > 299)
      throw new Error(`${request.method} ${request.path}: ${Buffer.concat(chunks).toString()}`);
  }

  close(): void {
    this.#session.close();
  }

  #send({ method, path, body, type = JSON_TYPE }: WarmUpRequest): ClientHttp2Stream {
    const stream = this.#session.request({
      ...{ ':method': method, ':path': path, accept: JSON_TYPE },
      ...(body === undefined ? {} : { 'content-type': type }),
    });
    stream.end(body === undefined ? undefined : JSON.stringify(body));
    return stream;
  }
}

function statusOf(stream: ClientHttp2Stream): Promise<number> {
  return new Promise((resolve, reject) => {
    stream.once('response', (headers) => {
      resolve(headers[':status'] ?? 0);
    });
    stream.once('error', reject);
  });
}
