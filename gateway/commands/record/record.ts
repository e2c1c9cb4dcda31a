/**
 * `everwatch record`: writes the changes of any cluster as a log until it is stopped, and goes on from
 * there when it is started again. It says on standard error how far it has come.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { StartupError } from '../../process/startup-error.ts';
import { ClusterDiscovery, type ClusterResource } from '../../remote-cluster/cluster-resources.ts';
import { formatTable } from '../tool/tool-output.ts';
import { openBook, type RecordBook, type WrittenCounts } from '../../recorder/record-book.ts';
import { type RecordGap, RecordPlace } from '../../recorder/record-place.ts';
import type { RecordReport } from '../../recorder/resource-recorder.ts';
import { StatusLine } from '../tool/status-line.ts';
import { openEmbeddedLog, type OpenLog } from '../../server/log/open-log.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { clusterAccess } from '../../configuration/kubeconfig-access.ts';
import { ClusterUnreachableError } from '../../remote-cluster/cluster-client.ts';
import { HttpsClusterClient } from '../../remote-cluster/https-cluster-client.ts';
import { interruption, type Interruption } from '../tool/interruption.ts';
import { type ServeAddress, serveReadOnly } from '../serve/serve-read-only.ts';
import { Recorder } from '../../recorder/recorder.ts';

export function isCalled(resource: ClusterResource, name: string): boolean {
  const { group, apiVersion, name: plural, singular, kind, shortNames } = resource;
  const asked = name.toLowerCase();
  const [first = '', ...rest] = asked.split('.');
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const isGroup = rest.length === 0 || [group, `${version}.${group}`].includes(rest.join('.'));
  const names = [plural, singular, kind.toLowerCase(), ...shortNames];
  return isGroup && names.includes(first);
}

export interface ResourceChoice {
  /** None: all. */
  readonly kinds: readonly string[];
  readonly exclude: readonly string[];
}

/** @throws StartupError nothing that is there has one of the names of `kinds`. */
export function chosenResources(
  { kinds, exclude }: ResourceChoice,
  all: readonly ClusterResource[],
): (resource: ClusterResource) => boolean {
  for (const kind of kinds) {
    if (all.some((resource) => isCalled(resource, kind))) continue;
    throw new StartupError(`there is no resource named ${JSON.stringify(kind)}`);
  }
  return (resource) =>
    (kinds.length === 0 || kinds.some((kind) => isCalled(resource, kind))) &&
    !exclude.some((kind) => isCalled(resource, kind));
}

export class RecordSummary implements RecordReport {
  readonly #line: StatusLine;
  readonly #book: RecordBook;
  readonly #counts = new Map<string, { added: number; modified: number; deleted: number }>();
  readonly #listed = new Set<string>();
  readonly #troubles = new Map<string, string>();
  #events = 0;
  #gaps = 0;

  constructor(line: StatusLine, book: RecordBook) {
    this.#line = line;
    this.#book = book;
  }

  listed(resource: string): void {
    this.#listed.add(resource);
    this.#troubles.delete(resource);
    this.#show();
  }

  written(resource: string, { added, modified, deleted }: WrittenCounts): void {
    const counts = this.#counts.get(resource) ?? { added: 0, modified: 0, deleted: 0 };
    counts.added += added;
    counts.modified += modified;
    counts.deleted += deleted;
    this.#counts.set(resource, counts);
    this.#events += added + modified + deleted;
    this.#show();
  }

  gap(gap: RecordGap): void {
    this.#gaps += 1;
    const { resource, reason, added, modified, deleted } = gap;
    const found = `${String(added)} added, ${String(modified)} modified, ${String(deleted)} deleted`;
    this.#line.say(`${resource}: ${reason}; something may be missing. Found by listing: ${found}.`);
  }

  /** Said once, and again when it is something else. */
  trouble(resource: string, problem: string): void {
    if (this.#troubles.get(resource) === problem) return;
    // When the server is away every resource finds out.
    const isNews = ![...this.#troubles.values()].includes(problem);
    this.#troubles.set(resource, problem);
    if (isNews) this.#line.say(`${resource}: ${problem}; trying again`);
  }

  done(): void {
    this.#line.clear();
  }

  text(output: 'table' | 'json'): string {
    const resources = [...this.#counts]
      .filter(([, { added, modified, deleted }]) => added + modified + deleted > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([resource, counts]) => ({ resource, ...counts }));
    if (output === 'json') {
      const { newest } = this.#book;
      return `${JSON.stringify({ events: this.#events, newest, gaps: this.#gaps, resources })}\n`;
    }
    const rows = resources.map(({ resource, added, modified, deleted }) => [
      resource,
      ...[added, modified, deleted].map(String),
    ]);
    const end = `${String(this.#events)} events recorded, up to version ${String(this.#book.newest)}`;
    const gaps = this.#gaps === 0 ? '' : `, with ${String(this.#gaps)} gaps (record-gaps.jsonl)`;
    const table = formatTable(['RESOURCE', 'ADDED', 'MODIFIED', 'DELETED'], rows);
    return `${rows.length === 0 ? '' : table}${end}${gaps}\n`;
  }

  #show(): void {
    this.#line.show(
      () =>
        `recording: ${String(this.#listed.size)} resources listed, ${String(this.#events)} events, ` +
        `version ${String(this.#book.newest)}`,
    );
  }
}

export interface RecordOptions extends ResourceChoice {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly dataDir: string;
  readonly output: 'table' | 'json';
  /** Where the log is served, read-only, while it is recorded; undefined: nowhere. */
  readonly serve: ServeAddress | undefined;
}

/**
 * Prints a summary when it is stopped.
 *
 * @throws StartupError the cluster or the directory cannot be had.
 */
export async function record(options: RecordOptions): Promise<void> {
  const access = await clusterAccess(
    { file: options.kubeconfig, context: options.context },
    process.env,
  );
  const client = new HttpsClusterClient(access);
  const opened = await openEmbeddedLog(options.dataDir);
  const stop = interruption();
  try {
    await checkOwner(opened);
    const place = new RecordPlace(opened.directory.path);
    const book = await openBook({ log: opened.log, clock: systemClock, random: systemRandom });
    const summary = new RecordSummary(new StatusLine(process.stderr, systemClock), book);
    const recording = run(options, { client, place, book, summary, stop }).then(() => {
      process.stdout.write(summary.text(options.output));
    });
    if (options.serve !== undefined) {
      await servedWhile(recording, { opened, stop, address: options.serve });
    }
    await recording;
  } catch (error) {
    if (!(error instanceof ClusterUnreachableError)) throw error;
    throw new StartupError(error.message, { cause: error });
  } finally {
    await client.close();
    // A server that still reads it would take its end for a fault; that one closes it.
    if (options.serve === undefined) await opened.close();
  }
}

interface Serving {
  readonly opened: OpenLog;
  readonly stop: Interruption;
  readonly address: ServeAddress;
}

/** The same signals end the recorder and the server; the log is let go of when both have ended. */
async function servedWhile(
  recording: Promise<void>,
  { opened, stop, address }: Serving,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const close = async (): Promise<void> => {
      stop.stop();
      await recording;
      await opened.close();
      resolve();
    };
    Promise.all([recording, serveReadOnly({ ...opened, close }, address)]).catch(reject);
  });
}

interface Parts {
  readonly client: HttpsClusterClient;
  readonly place: RecordPlace;
  readonly book: RecordBook;
  readonly summary: RecordSummary;
  readonly stop: Interruption;
}

async function run(options: RecordOptions, parts: Parts): Promise<void> {
  const { client, book, place, summary, stop } = parts;
  const { signal } = stop;
  try {
    const discovery = new ClusterDiscovery(client, systemClock);
    const { resources } = await discovery.resources(signal);
    const wants = chosenResources(options, resources);
    const clock = systemClock;
    const random = systemRandom;
    const recorder = new Recorder({
      client,
      discovery,
      book,
      place,
      clock,
      random,
      wants,
      report: summary,
    });
    await recorder.run(signal);
  } catch (error) {
    // A request that was under way when the recording was stopped.
    if (!signal.aborted || !(error instanceof ClusterUnreachableError)) throw error;
  } finally {
    stop.end();
    summary.done();
  }
}

/** A log has one writer, and a server's log is the server's. */
async function checkOwner({ log, directory }: OpenLog): Promise<void> {
  if (existsSync(join(directory.path, 'record-state.json'))) return;
  if ((await log.newest(0)) === 0) return;
  throw new StartupError(
    `${directory.path} has a log that was not recorded: give --data-dir another directory`,
  );
}
