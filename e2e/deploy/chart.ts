/**
 * The chart as helm renders it, and the sets of values that its README shows.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { parseAllDocuments, parse } from 'yaml';

import { type CommandResult, run } from '../support/command.ts';
import { at, type JsonObject, type JsonValue, listAt } from '../support/json.ts';

export const DEPLOY = join(import.meta.dirname, '../../deploy');
export const CHART = join(DEPLOY, 'helm/everwatch');

export const VALUES = {
  least: 'kafka: { brokers: ["a:9092"] }',
  'strimzi with mTLS': `
kafka:
  brokers: ['my-cluster-kafka-bootstrap:9093']
  tls:
    enabled: true
    ca: { secret: my-cluster-cluster-ca-cert }
    client: { secret: everwatch }
keyFile: { secret: mine }`,
  'managed with SCRAM': `
kafka:
  brokers: ['b-1.kafka.example:9096', 'b-2.kafka.example:9096']
  tls: { enabled: true, serverName: kafka.example }
  sasl: { mechanism: scram-sha-512, username: everwatch, password: "it's a\\nsecret" }
keyFile: { secret: mine }`,
  everything: `
replicas: 5
kafka:
  brokers: ['a:9092', '[::1]:9092']
  topic: a.topic
  replicationFactor: 5
  clientId: us
  tls: { enabled: true, ca: { secret: ca, key: our.crt } }
  sasl: { mechanism: oauthbearer, secret: token, tokenKey: jwt }
keyFile: { secret: mine, key: secret.bin }
servingCertificate: { secret: serving }
auth: { anonymous: true, authorizationMode: [AlwaysDeny], tokensSecret: tokens, clientCaSecret: ca }
readConsistency: fresh
snapshotEvery: 10000000
extraArgs: ['--cors-allowed-origins=^https://a$']
service: { type: LoadBalancer, port: 6443, annotations: { a: b } }
persistence: { storageClass: fast, size: 1Ti }
antiAffinity: required
topologyKey: topology.kubernetes.io/zone
imagePullSecrets: [{ name: pull }]
nodeSelector: { kubernetes.io/os: linux }
tolerations: [{ key: a, operator: Exists }]
priorityClassName: high
serviceAccount: { annotations: { a: b } }
podLabels: { team: a }
podAnnotations: { note: b }`,
  'flags of all kinds': `
kafka: { brokers: ['a:9092'] }
keyFile: { secret: mine }
auth: { anonymous: true, authorizationMode: [Node, RBAC, Webhook], tokensSecret: tokens }
flags:
  audit-policy-file: /etc/everwatch/files/audit.yaml
  audit-log-path: '-'
  authorization-webhook-config-file: /etc/everwatch/webhook/kubeconfig
  feature-gates: [WatchList=true]
  goaway-chance: 0.001
  max-requests-inflight: 1000000
  profiling: false
  shutdown-delay-duration: 20s
  snapshot-every: null
extraArgs: ['--enable-admission-plugins=AlwaysPullImages']
files:
  audit.yaml: |
    apiVersion: audit.k8s.io/v1
    kind: Policy
    rules: [{ level: Metadata }]
extraVolumes: [{ name: webhook, secret: { secretName: authorization-webhook } }]
extraVolumeMounts: [{ name: webhook, mountPath: /etc/everwatch/webhook, readOnly: true }]
extraEnv: [{ name: NODE_OPTIONS, value: '--max-old-space-size=1024' }]`,
} as const;

export type Helm = (args: readonly string[], input?: string) => Promise<CommandResult>;

/** Call it at the top of a file. Values are given as `-f -`. */
export function helmFor(program: string, env: () => NodeJS.ProcessEnv = () => ({})): Helm {
  const home = mkdtempSync(join(tmpdir(), 'everwatch-helm-'));
  afterAll(() => {
    rmSync(home, { recursive: true, force: true });
  });
  return (args, input) =>
    run(program, args, {
      env: { PATH: process.env['PATH'], HOME: home, ...env() },
      ...(input === undefined ? {} : { input }),
    });
}

/** @throws with everything it said when it did not succeed. */
export function outputOf({ code, stdout, stderr }: CommandResult): string {
  if (code === 0) return stdout;
  throw new Error(`exit code ${String(code)}\n${stdout}${stderr}`);
}

/** What `helm template` makes of the values, in the namespace `there`. */
export async function rendered(helm: Helm, values: string): Promise<string> {
  const args = ['template', 'ew', CHART, '--namespace', 'there', '-f', '-'];
  return outputOf(await helm(args, values));
}

export function documentsOf(manifests: string): JsonObject[] {
  return parseAllDocuments(manifests, { version: '1.1' })
    .map((document) => document.toJS() as JsonObject | null)
    .filter((document) => document !== null);
}

export function ofKind(documents: readonly JsonObject[], kind: string): JsonObject {
  const found = documents.find((document) => document['kind'] === kind);
  if (found === undefined) throw new Error(`There is no ${kind}.`);
  return found;
}

/** The only container of a StatefulSet. */
export function containerOf(statefulSet: JsonObject): JsonValue | undefined {
  return at(statefulSet, 'spec', 'template', 'spec', 'containers', 0);
}

/** The strings of the list at a path. */
export function wordsAt(value: JsonValue | undefined, ...path: (string | number)[]): string[] {
  return listAt(value, ...path).filter((word) => typeof word === 'string');
}

/** The objects that the object at a path holds, by their names; empty ones for null. */
export function entriesAt(
  value: JsonValue | undefined,
  ...path: (string | number)[]
): [string, JsonObject][] {
  return allEntriesAt(value, path).map(([name, one]) => [name, isObject(one) ? one : {}]);
}

/** Names and values of the object at a path, numbers and booleans as text. */
export function textEntriesAt(
  value: JsonValue | undefined,
  ...path: (string | number)[]
): [string, string][] {
  return allEntriesAt(value, path).map(([name, one]) => [
    name,
    typeof one === 'string' ? one : JSON.stringify(one),
  ]);
}

function allEntriesAt(
  value: JsonValue | undefined,
  path: readonly (string | number)[],
): [string, JsonValue | undefined][] {
  const found = at(value, ...path);
  return isObject(found) ? Object.entries(found) : [];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The names of the flags that `everwatch serve --help` shows. */
export async function knownFlags(): Promise<Set<string>> {
  const program = join(import.meta.dirname, '../../dist/everwatch.js');
  const help = outputOf(await run(process.execPath, [program, 'serve', '--help']));
  return new Set(Array.from(help.matchAll(/^ +(--[a-z-]+)/gm), ([, flag = '']) => flag));
}

/** The flags among `args` that are unknown. */
export function unknownAmong(args: readonly string[], known: ReadonlySet<string>): string[] {
  const flags = args
    .filter((word) => word.startsWith('--'))
    .map((word) => word.split('=')[0] ?? '');
  return flags.filter((flag) => !known.has(flag));
}

/** A YAML file of deploy/, merge keys resolved. */
export function parsedYaml(text: string): JsonObject {
  // Our own files: objects at their top.
  return parse(text, { merge: true }) as JsonObject;
}
