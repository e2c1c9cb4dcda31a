/**
 * What two servers did while a write failed: once a second, how long each of them ran and how long it waited for a
 * processor, how late its event loop was, and what its balancer waited for. The system tells the first two, so they
 * are there also where a server answers nothing.
 */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import type { Balancer } from '../support/balancer.ts';
import type { RunningServer } from '../support/server.ts';

const EVERY_MS = 1_000;
const AROUND_MS = 15_000;
const MS_PER_S = 1_000;
const NS_PER_MS = 1e6;
const KLOG_TIME = /^[IWEF]\d{4} (\d\d:\d\d:\d\d\.\d{3})/;
const LAG = /^nodejs_eventloop_lag_max_seconds (\S+)$/m;

interface Times {
  readonly ranMs: number;
  readonly waitedMs: number;
}

interface Note {
  readonly at: number;
  readonly text: string;
}

/** Looks until it is stopped. */
export class RollingLooks {
  readonly #servers: readonly RunningServer[];
  readonly #balancer: Balancer;
  readonly #clients: readonly AdminClient[];
  readonly #notes: Note[] = [];
  readonly #before = new Map<number, Times>();
  readonly #own = monitorEventLoopDelay();
  readonly #timer: NodeJS.Timeout;

  constructor(servers: readonly RunningServer[], balancer: Balancer) {
    this.#servers = servers;
    this.#balancer = balancer;
    this.#clients = servers.map((server) => adminClient(server));
    this.#own.enable();
    this.#timer = setInterval(() => {
      this.#look();
    }, EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#own.disable();
    for (const client of this.#clients) client.close();
  }

  /** Says what begins or ends now. */
  note(text: string): void {
    this.#notes.push({ at: Date.now(), text });
  }

  /** Of the connections that waited long for the first word of a server, how many there are, and the longest. */
  slowest(): string {
    const waits = this.#balancer.silent.map((one) => one.answeredMs ?? one.closedMs ?? 0);
    return `${String(waits.length)} connections waited for a server, ${String(Math.max(0, ...waits))} ms at most`;
  }

  /** Lines of what was seen and said around the moment, in order. */
  around(moment: number): string[] {
    const all = [...this.#notes, ...this.#silences(), ...this.#said(moment)];
    return all
      .filter(({ at }) => Math.abs(at - moment) < AROUND_MS)
      .sort((a, b) => a.at - b.at)
      .map(({ at, text }) => `${new Date(at).toISOString()} ${text}`);
  }

  #look(): void {
    const [load = 0] = loadavg();
    const ownMs = (this.#own.max / NS_PER_MS).toFixed(0);
    this.#own.reset();
    this.note(`load ${load.toFixed(0)}, the loop of this process ${ownMs} ms late at most`);
    for (const [at, { pid, url }] of this.#servers.entries()) {
      const times = timesOf(pid);
      const before = this.#before.get(pid);
      if (times !== undefined) this.#before.set(pid, times);
      if (times === undefined || before === undefined) continue;
      const ran = (times.ranMs - before.ranMs).toFixed(0);
      const waited = (times.waitedMs - before.waitedMs).toFixed(0);
      this.note(`${url} ran ${ran} ms and waited ${waited} ms for a processor`);
      void this.#askLag(url, this.#clients[at]);
    }
  }

  async #askLag(url: string, client: AdminClient | undefined): Promise<void> {
    const began = Date.now();
    const answer = await client?.get('/metrics').catch(() => undefined);
    const text = typeof answer?.body === 'string' ? answer.body : '';
    const seconds = Number(LAG.exec(text)?.[1]);
    const lag = `its loop ${(seconds * MS_PER_S).toFixed(0)} ms late at most`;
    this.note(`${url} answered within ${String(Date.now() - began)} ms: ${lag}`);
  }

  #silences(): Note[] {
    return this.#balancer.silent.map((one) => {
      const shown = (ms: number | undefined): string => (ms === undefined ? 'never' : String(ms));
      const text =
        `${one.replica} was slow to a connection: connected ${shown(one.connectedMs)}, asked ${shown(one.askedMs)}, ` +
        `answered ${shown(one.answeredMs)}, closed ${shown(one.closedMs)} ms`;
      return { at: one.at, text };
    });
  }

  #said(moment: number): Note[] {
    const day = new Date(moment).toISOString().slice(0, 'YYYY-MM-DD'.length);
    return this.#servers.flatMap((server) => {
      const { url } = server;
      return server
        .logs()
        .split('\n')
        .flatMap((line) => {
          const time = KLOG_TIME.exec(line)?.[1];
          return time === undefined
            ? []
            : [{ at: Date.parse(`${day}T${time}Z`), text: `${url}: ${line}` }];
        });
    });
  }
}

/** Of all that the process did since it began; undefined: it is gone. */
function timesOf(pid: number): Times | undefined {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${String(pid)}/schedstat`, 'utf8')
      .split(' ')
      .map(Number);
    return { ranMs: ran / NS_PER_MS, waitedMs: waited / NS_PER_MS };
  } catch {
    return undefined;
  }
}
