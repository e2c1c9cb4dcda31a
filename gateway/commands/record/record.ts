/**
 * `everwatch record`: writes the changes of any cluster as a log, until it is told to stop; and goes
 * on where it stopped when it is started again.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedLog, type OpenLog } from '../../server/log/open-log.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { clusterAccess } from '../../configuration/kubeconfig-access.ts';
import { ClusterUnreachableError } from '../../remote-cluster/cluster-client.ts';
import { ClusterDiscovery } from '../../remote-cluster/cluster-resources.ts';
import { HttpsClusterClient } from '../../remote-cluster/https-cluster-client.ts';
import { interruption, type Interruption } from '../tool/interruption.ts';
import { openBook, type RecordBook } from '../../recorder/record-book.ts';
import { RecordPlace } from '../../recorder/record-place.ts';
import { RecordSummary } from './record-summary.ts';
import { serveReadOnly, type ServeAddress } from '../serve/serve-read-only.ts';
import { Recorder } from '../../recorder/recorder.ts';
import { chosenResources, type ResourceChoice } from './resource-names.ts';
import { StatusLine } from '../tool/status-line.ts';

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
    // A question that was under way when somebody said stop.
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
