/**
 * A socket of Unix for users that may open its file: profiles and the level of the log, without TLS,
 * and without authentication. So it answers when the port does not any more. Only the owner
 * of the process can open it, and nothing else can be reached through it.
 *
 * In Kubernetes: DebugSocket, apiserver/pkg/server/routes.
 */
import { lstat, rm } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Clock } from '../../api/meta/clock.ts';
import { internalError } from '../../api/meta/status.ts';
import { statusAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest, UserInfo } from '../../actors/request/request.ts';
import { receivedRequest } from '../../actors/request/server-request.ts';
import { resolveRequestInfo } from '../../actors/request/request-info.ts';
import { requestLine } from '../inbound/request-reader.ts';
import { AnswerWriter } from '../responses/answer-writer.ts';
import { textAnswer, type Route } from '../routes/route.ts';
import { Http1Exchange } from './http1-exchange.ts';
import { HttpDoor } from './http-door.ts';
import { http1Problem, http1Server, refuseHead } from './request-head.ts';

export interface DebugSocketParts {
  readonly clock: Clock;
  readonly route: Route;
  readonly failed: (error: unknown) => void;
}

/** Only the owner may read or write. */
const OTHERS = 0o177;
const NOT_FOUND = textAnswer(404, '404 page not found\n');
const LOCAL: UserInfo = { name: 'system:local', uid: '', groups: [], extra: {} };
const CONNECTION = { remoteAddress: '', clientCertificate: () => undefined };

export class DebugSocket {
  readonly #parts: DebugSocketParts;
  readonly #writer: AnswerWriter;
  readonly #server: Server;

  constructor(parts: DebugSocketParts) {
    this.#parts = parts;
    this.#writer = new AnswerWriter(parts.clock, () => {
      throw new Error('nothing can be watched here');
    });
    this.#server = http1Server({}, (incoming, response) => {
      const problem = http1Problem(incoming.rawHeaders);
      if (problem === undefined) this.#receive(incoming, response);
      else refuseHead(response, problem);
    });
  }

  /**
   * A socket that was left at `path` is replaced.
   *
   * @throws Error of the operating system, or where something else lies there.
   */
  async listen(path: string): Promise<void> {
    await removeSocket(path);
    const before = process.umask(OTHERS);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject);
        this.#server.listen(path, () => {
          this.#server.off('error', reject);
          this.#server.on('error', this.#parts.failed);
          resolve();
        });
        // The file was made by now, and others write files of their own.
        process.umask(before);
      });
    } finally {
      process.umask(before);
    }
  }

  /** A client that still waits for a profile is cut off. The file goes, too. */
  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  #receive(incoming: IncomingMessage, response: ServerResponse): void {
    const line = requestLine({
      method: incoming.method ?? 'GET',
      target: incoming.url ?? '/',
      headers: incoming.headers,
      rawHeaders: incoming.rawHeaders,
      connection: CONNECTION,
      isWebSocket: false,
    });
    const exchange = new Http1Exchange(incoming, response, line.headers);
    const door = new HttpDoor(exchange, { writer: this.#writer, writeFailed: this.#parts.failed });
    const request = receivedRequest(line, door);
    void this.#answer(
      request.routedAs(resolveRequestInfo(line.method, line.path, line.query)).identifiedAs(LOCAL),
    );
  }

  async #answer(request: AuthenticatedRequest): Promise<void> {
    try {
      request.reply((await this.#parts.route(request)) ?? NOT_FOUND);
    } catch (error) {
      this.#parts.failed(error);
      request.reply(statusAnswer(internalError(error)));
    }
  }
}

async function removeSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error('something lies there that is no socket');
  await rm(path);
}
