/**
 * Apache Kafka for machines without Docker: the jars from Maven Central, fetched once, and what
 * makes a broker start in two seconds instead of five.
 *
 * Formatting a data directory takes a JVM of its own, and its outcome is the same for all nodes
 * but for two lines; so it is done once, and copied. The classes of a first run are archived.
 */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { cached } from '../../tools/build-cache.fixture.ts';
import { run, startCommand } from './command.ts';
import { eventually } from './eventually.ts';
import { freePorts } from './free-port.ts';
import { type KafkaVersion, propertiesText, STARTED } from './kafka-node.ts';

export interface KafkaDist {
  /** The arguments of `java`, in front of the name of a main class. */
  readonly javaArgs: readonly string[];
  /** Makes `folder` a formatted data directory of the node; there must be nothing yet. */
  format(folder: string, node: number): void;
}

const JAVA = join(import.meta.dirname, '../java');
const POM = join(JAVA, 'pom.xml');
const LOGGING = join(JAVA, 'log4j2.properties');
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
/** Any sixteen bytes; all nodes that meet must have the same. */
const CLUSTER_ID = 'RXZlcndhdGNoIGlzIG9uZQ';
const MEMORY = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xms64m', '-Xmx512m'];
const dists = new Map<KafkaVersion, Promise<KafkaDist>>();

/**
 * Fetches what is not there yet.
 *
 * @throws where there is no Java of 17 or newer, or Maven cannot fetch.
 */
export function kafkaDist(version: KafkaVersion): Promise<KafkaDist> {
  const dist = dists.get(version) ?? preparedDist(version);
  dists.set(version, dist);
  return dist;
}

async function preparedDist(version: KafkaVersion): Promise<KafkaDist> {
  const java = await javaVersion();
  const jars = await cached({
    name: `kafka-${version}-jars`,
    sources: [POM],
    build: (folder) => download(version, folder),
  });
  // The order of the class path must be the same every time, or the archive does not fit.
  const paths = readdirSync(jars).sort();
  const classPath = paths.map((name) => join(jars, name)).join(':');
  const common = [`-Dlog4j2.configurationFile=${LOGGING}`, '-cp', classPath];
  const first = await cached({
    name: `kafka-${version}-first-run-java-${java}`,
    sources: [POM, LOGGING, import.meta.filename],
    build: (folder) => firstRun(common, folder),
  });
  const archive = [`-XX:SharedArchiveFile=${join(first, 'classes.jsa')}`, '-Xshare:auto'];
  return {
    javaArgs: [...MEMORY, ...archive, '-Xlog:disable', ...common],
    format: (folder, node) => {
      cpSync(join(first, 'formatted'), folder, { recursive: true });
      writeFileSync(join(folder, 'meta.properties'), metaProperties(node));
    },
  };
}

async function javaVersion(): Promise<string> {
  const { stderr } = await run('java', ['-version']);
  const version = /version "([^"]+)"/.exec(stderr)?.[1] ?? '';
  if (Number.parseInt(version, 10) >= 17) return version;
  throw new Error(`java -version says: ${stderr.trim()}`);
}

async function download(version: KafkaVersion, folder: string): Promise<void> {
  console.info(`Fetching Apache Kafka ${version} from Maven Central (43 MB).`);
  const what = ['-DincludeScope=runtime', `-DoutputDirectory=${folder}`];
  const args = ['-B', '-q', '-f', POM, `-Dkafka.version=${version}`, ...what];
  const { code, stdout, stderr } = await run('mvn', [...args, 'dependency:copy-dependencies'], {
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
  if (code !== 0) throw new Error(`mvn failed: ${(stdout + stderr).trim()}`);
}

/** Formats a data directory, runs a broker on it until it is ready, and keeps what is reusable. */
async function firstRun(common: readonly string[], folder: string): Promise<void> {
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch, { recursive: true });
  const config = join(scratch, 'server.properties');
  const properties = await lonelyNode();
  writeFileSync(config, propertiesText({ ...properties, 'log.dirs': join(folder, 'formatted') }));
  const formatting = ['kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', config];
  const formatted = await run('java', [...MEMORY, ...common, ...formatting]);
  if (formatted.code !== 0) throw new Error(`kafka format failed: ${formatted.stderr.trim()}`);
  cpSync(join(folder, 'formatted'), join(scratch, 'data'), { recursive: true });
  writeFileSync(config, propertiesText({ ...properties, 'log.dirs': join(scratch, 'data') }));

  const archive = `-XX:ArchiveClassesAtExit=${join(folder, 'classes.jsa')}`;
  const args = [...MEMORY, archive, '-Xlog:disable', ...common, 'kafka.Kafka', config];
  const broker = startCommand('java', args);
  try {
    const wanted = () => `a first run of Kafka: ${broker.stdout()}${broker.stderr()}`;
    await eventually(wanted, () => broker.stdout().includes(STARTED) || undefined);
  } finally {
    broker.kill();
    await broker.ended;
  }
  rmSync(scratch, { recursive: true });
}

/** The least that a broker starts with. */
async function lonelyNode(): Promise<Record<string, string>> {
  const [broker = 0, controller = 0] = await freePorts(2);
  return {
    'process.roles': 'broker,controller',
    'node.id': '1',
    listeners: `PLAINTEXT://127.0.0.1:${String(broker)},CONTROLLER://127.0.0.1:${String(controller)}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${String(broker)}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'controller.quorum.voters': `1@127.0.0.1:${String(controller)}`,
  };
}

function metaProperties(node: number): string {
  // The first byte keeps the text from beginning with a dash, which Kafka does not like.
  const directory = Buffer.concat([Buffer.from([1]), randomBytes(15)]).toString('base64url');
  return propertiesText({
    version: '1',
    'cluster.id': CLUSTER_ID,
    'node.id': String(node),
    'directory.id': directory,
  });
}
