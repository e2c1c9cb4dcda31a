/**
 * `npx tsx bench/kafka-fold.ts [OBJECTS] [EVENTS]`: how fast a server folds a topic of Kafka that has so many events
 * of 1 KB: with nothing on its disk, then from the copy of the topic that it has made, then from its store as well.
 * One real broker on the same cores, which needs Java and Maven, or Docker. Without arguments 50,000 and 300,000.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { numbersAmong, runArguments } from '../run-arguments.ts';
import { fillTopic } from '../e2e/scale/filled-topic.ts';
import { kafkaStarter } from '../e2e/support/kafka-broker.ts';
import { BenchClient } from './bench-client.ts';
import { cpuSeconds, startServer, stopServer, TOKEN } from './bench-server.ts';
import { writeSamples } from './scale-samples.ts';

/** Makes records of 1 KB. */
const BYTES = 500;
const ROUNDS = 3;
const TOPIC = 'fold';

const { positionals } = runArguments(import.meta.filename, { allowPositionals: true });
const [objects = 50_000, events = 300_000] = numbersAmong(positionals).numbers;
const directory = mkdtempSync(join(tmpdir(), 'everwatch-kafka-fold-'));
const kafka = await (await kafkaStarter())();
const keyFile = join(directory, 'key');
writeFileSync(keyFile, 'a secret that all servers share');
const log = `--log=kafka://${kafka.bootstrap.join(',')}/${TOPIC}`;
const flags = ['--authorization-mode=RBAC', `--key-file=${keyFile}`, log];
try {
  await writeTheSamples();
  await fill();
  for (let round = 1; round <= ROUNDS; round += 1) await fold(join(directory, String(round)));
} finally {
  await kafka.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function writeTheSamples(): Promise<void> {
  const first = join(directory, 'first');
  mkdirSync(first);
  const server = await startServer(first, flags);
  const client = new BenchClient(server.url, TOKEN, 1);
  await writeSamples(client, BYTES);
  client.close();
  await stopServer(server);
}

async function fill(): Promise<void> {
  const filled = await fillTopic(kafka.bootstrap, TOPIC, { objects, large: 0, events });
  print('filled the topic', `${String(filled.newest)} events`, seconds(filled.seconds * 1_000));
}

async function fold(at: string): Promise<void> {
  await start('nothing on its disk', at);
  rmSync(join(at, 'data', 'store'), { recursive: true, force: true });
  await start('the copy of the topic', at);
  await start('the copy and the store', at);
}

/** Ready is a server that has folded all that there was when it began. */
async function start(what: string, at: string): Promise<void> {
  mkdirSync(at, { recursive: true });
  const server = await startServer(at, flags);
  const [wall, cpu] = [server.readyMs, cpuSeconds(server) * 1_000];
  await stopServer(server);
  const rate = (ms: number): string => `${(events / ms).toFixed(0)},000`;
  const costs = `${rate(wall)} events a second, ${rate(cpu)} for one of CPU`;
  print(what, `${seconds(wall)}, ${seconds(cpu)} of CPU`, costs);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function print(what: string, ...cells: string[]): void {
  console.log(`${what.padEnd(24)}${cells.join(', ')} (load ${(loadavg()[0] ?? 0).toFixed(0)})`);
}
