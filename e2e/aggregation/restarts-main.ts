/**
 * Discovery and OpenAPI while an aggregated server starts again and again: `npm run robustness:aggregation
 * -- [--minutes 60] [--every 10]`. sample-apiserver is killed and started every so many seconds, and all
 * that time each document that names its group is asked for, one after the other. A hole is an answer
 * that is not 200, or one in which the group is missing that was there before. Needs Go; code 1 with a hole.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { goProgram } from '../support/go-program.ts';
import { startServer } from '../support/server.ts';
import { aggregationTrust, registered, untilReason } from './given-aggregation.ts';
import { SAMPLE_GROUP, SAMPLE_VERSION, sampleServer } from './sample-server.ts';
import { runArguments } from '../../run-arguments.ts';

const { values } = runArguments(import.meta.filename, {
  options: {
    minutes: { type: 'string', default: '60' },
    every: { type: 'string', default: '10' },
  },
});
const GROUP_VERSION = `${SAMPLE_GROUP}/${SAMPLE_VERSION}`;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** Each with what has to be in it. */
const DOCUMENTS: readonly (readonly [path: string, accept: string, part: string])[] = [
  ['/apis', AGGREGATED, '"flunders"'],
  ['/apis', 'application/json', `"${GROUP_VERSION}"`],
  [`/apis/${SAMPLE_GROUP}`, 'application/json', `"${GROUP_VERSION}"`],
  [`/apis/${GROUP_VERSION}`, 'application/json', '"flunders"'],
  ['/openapi/v3', 'application/json', `apis/${GROUP_VERSION}`],
  [`/openapi/v3/apis/${GROUP_VERSION}`, 'application/json', '/flunders'],
  ['/openapi/v2', 'application/json', `/apis/${GROUP_VERSION}/namespaces/{namespace}/flunders`],
];
const PAUSE_MS = 50;
const REPORT_MS = 60_000;

const program = await goProgram('sample-apiserver');
const trust = await aggregationTrust();
const server = await startServer({ args: trust.serverFlags });
const client = adminClient(server);
const { port, start: startSample } = await sampleServer(program, trust, server);
let sample = startSample();
let restarts = 0;
let asked = 0;
const holes: string[] = [];

/** undefined: the document is whole. */
async function holeIn([path, accept, part]: (typeof DOCUMENTS)[number]) {
  const { status, body } = await client.get(path, { accept });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return status === 200 && text.includes(part) ? undefined : `${path}: ${String(status)}`;
}

async function askForAll(): Promise<void> {
  for (const one of DOCUMENTS) {
    const hole = await holeIn(one);
    if (hole !== undefined) holes.push(`${new Date().toISOString()} ${hole}`);
    asked += 1;
  }
}

function report(): void {
  console.log(
    `${String(restarts)} restarts, ${String(asked)} documents asked for, ${String(holes.length)} holes`,
  );
}

try {
  await registered(client, SAMPLE_GROUP, SAMPLE_VERSION, {
    ...{ service: 'sample', port, caBundle: trust.caBundle },
  });
  await untilReason(client, `v1alpha1.${SAMPLE_GROUP}`, 'Passed');
  for (const one of DOCUMENTS) {
    await eventually(one[0], async () => ((await holeIn(one)) === undefined ? true : undefined));
  }
  const until = Date.now() + Number(values.minutes) * 60_000;
  const restarting = restartUntil(until);
  let reportedAt = Date.now();
  while (Date.now() < until) {
    await askForAll();
    await pause(PAUSE_MS);
    if (Date.now() - reportedAt < REPORT_MS) continue;
    reportedAt = Date.now();
    report();
  }
  await restarting;
  report();
  for (const one of holes.slice(0, 20)) console.log(`HOLE ${one}`);
} finally {
  sample.kill('SIGKILL');
  await sample.ended;
  client.close();
  await server.stop();
  trust.remove();
}
process.exit(holes.length > 0 ? 1 : 0);

/** It is killed in whatever it does, also in its start. */
async function restartUntil(until: number): Promise<void> {
  while (Date.now() < until) {
    await pause(Number(values.every) * 1_000);
    sample.kill('SIGKILL');
    await sample.ended;
    sample = startSample();
    restarts += 1;
  }
}
