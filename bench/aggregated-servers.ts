/**
 * Aggregated servers of a bench, in a process of their own, so that what clients do in the bench does not keep them
 * from answering: that would be told of by their condition `Available`, and by a 503.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';

/** What the process is asked to do, one after the other. */
export type AggregatedWish =
  | { readonly does: 'listen'; readonly cert: string; readonly key: string; readonly ca: string }
  /** All of them answer this from now on. */
  | { readonly does: 'answer'; readonly text: string }
  /** One answers nothing, or does again. */
  | { readonly does: 'hang'; readonly port: number; readonly is: boolean }
  /** One answers the next so many requests of `held` when all of them have come. */
  | { readonly does: 'hold'; readonly port: number; readonly count: number }
  | { readonly does: 'count'; readonly port: number };

/** What it has done: `port` of listen, connections by protocol of count. */
export interface AggregatedReply {
  readonly port?: number;
  readonly http2?: number;
  readonly http1?: number;
}

/** Numbered, so that each reply finds its wish. */
export interface Numbered<Of> {
  readonly nth: number;
  readonly of: Of;
}

/** The process of all aggregated servers of a bench. */
export class AggregatedServers {
  readonly #child = fork(join(import.meta.dirname, 'aggregated-servers-process.ts'));
  readonly #waiting = new Map<number, (reply: AggregatedReply) => void>();
  #nth = 0;
  #isStopped = false;

  constructor() {
    this.#child.on('message', (reply) => {
      const { nth, of } = reply as Numbered<AggregatedReply>; // As its program sends them.
      this.#waiting.get(nth)?.(of);
      this.#waiting.delete(nth);
    });
    this.#child.once('exit', (code) => {
      if (!this.#isStopped) throw new Error(`the aggregated servers ended with ${String(code)}`);
    });
  }

  /** Starts one. @returns its port of the loopback. */
  async listen(tls: { readonly cert: string; readonly key: string; readonly ca: string }) {
    const { port = 0 } = await this.tell({ does: 'listen', ...tls });
    return port;
  }

  /** Resolves when it is done. */
  tell(of: AggregatedWish): Promise<AggregatedReply> {
    const nth = (this.#nth += 1);
    return new Promise((resolve) => {
      this.#waiting.set(nth, resolve);
      this.#child.send({ nth, of } satisfies Numbered<AggregatedWish>);
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#child.kill();
  }
}
