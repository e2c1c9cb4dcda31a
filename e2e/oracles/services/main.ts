/**
 * `npm run parity:services -- [--steps 600] [--seed N] [--seeds 1] [--style moves|fields] [--ranges …]`:
 * random histories of services are told to this server and to a kube-apiserver with its etcd, which
 * have to answer alike: code, reason, message, causes, warnings and object, apart from what is chosen
 * at random. Prints each difference and a table; code 1 where there is one.
 *
 * With `--record`, kube-apiserver's answers to the histories of the unit tests are compared with the
 * record, or written to it with EVERWATCH_RECORD=1. Needs Go.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  addRanges,
  RECORDED_HISTORIES,
  removeServices,
  SERVICE_RANGES,
  serviceAnswers,
  shownAnswer,
  stepOfHistory,
  toldHistory,
  toldStep,
  type RangesName,
  type ServiceAnswer,
  type ServiceHistory,
  type ServiceSide,
} from '../../../actors/registry/services/service-histories.fixture.ts';
import { type StepStyle } from '../../../actors/registry/services/service-steps.fixture.ts';
import type { Service } from '../../../api/generated/kinds/core-v1.ts';
import { nodePortsOf } from '../../../api/kinds/core/services/allocations.ts';
import { writeComponentFiles } from '../../control-plane/component.ts';
import { adminClient, type AdminClient } from '../../support/admin-client.ts';
import type { JsonObject } from '../../support/json.ts';
import { startServer } from '../../support/server.ts';
import { flagsForComponents } from '../../cluster/components.ts';
import { startPeer } from '../../cluster/peer.ts';
import { tellWalk, walkBeside } from '../walk-beside.ts';
import { runArguments } from '../../../run-arguments.ts';

const { values } = runArguments(import.meta.filename, {
  options: {
    steps: { type: 'string', default: '600' },
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    style: { type: 'string', default: 'moves' },
    ranges: { type: 'string', default: 'IPv4 and IPv6' },
    record: { type: 'boolean', default: false },
  },
});
/** kube-apiserver hears of a new range by a watch. */
const RANGE_SETTLES_MS = 3_000;

function sideOf(client: AdminClient): ServiceSide {
  return async ({ method, url, contentType, body }) => {
    const headers = { 'content-type': contentType };
    const sent = { headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await client.send(method, url, sent).catch(() => undefined);
    if (answer === undefined) return { status: 0, body: {}, warnings: [] };
    const warnings = sentencesOf([answer.headers['warning'] ?? []].flat().join(', '));
    return { status: answer.status, body: answer.body as JsonObject, warnings }; // All are objects.
  };
}

/** Of `299 - "one", 299 - "two"`. */
function sentencesOf(header: string): string[] {
  return Array.from(header.matchAll(/"(?:[^"\\]|\\.)*"/g), ([text]) => JSON.parse(text) as string);
}

interface Sides {
  readonly ours: ServiceSide;
  readonly theirs: ServiceSide;
}

/** Both run as long as the work does. */
async function withSides(ranges: RangesName, work: (sides: Sides) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-parity-'));
  const files = writeComponentFiles(folder);
  const args = [
    ...flagsForComponents(files),
    `--service-cluster-ip-range=${SERVICE_RANGES[ranges]}`,
    // The address of the server has to be of the first family.
    `--advertise-address=${ranges.startsWith('IPv6') ? '2001:db8::1' : '192.0.2.2'}`,
  ];
  const server = await startServer({ args });
  const peer = await startPeer(args);
  const clients = [adminClient(server), adminClient(peer)] as const;
  const [ours, theirs] = [sideOf(clients[0]), sideOf(clients[1])];
  try {
    await Promise.all([addRanges(ours, ranges), addRanges(theirs, ranges)]);
    await new Promise((resolve) => setTimeout(resolve, RANGE_SETTLES_MS));
    await work({ ours, theirs });
  } finally {
    for (const client of clients) client.close();
    await Promise.all([server.stop(), peer.stop()]);
    rmSync(folder, { recursive: true });
  }
}

const SERVICES = '/api/v1/namespaces/default/services';
const ADDRESSES = '/apis/networking.k8s.io/v1/ipaddresses';

/** What kube-apiserver itself does wrong in its answer; undefined: nothing that is known. */
async function faultOf(
  theirs: ServiceSide,
  name: string,
  own: ServiceAnswer,
  other: ServiceAnswer,
): Promise<string | undefined> {
  // It frees the ports that a service of type ExternalName speaks of, whichever service has them.
  const [, port] = /(\d+): provided port is already allocated/.exec(messageOf(own)) ?? [];
  if (port !== undefined && (await hasPort(theirs, Number(port), name))) {
    return 'ports given twice';
  }
  // Of two addresses that a service names it keeps the one that was free where the other was taken.
  const [, ip] =
    /failed to allocate IP (\S+): provided IP is already allocated/.exec(messageOf(other)) ?? [];
  if (ip === undefined || (await hasAddress(theirs, ip))) return undefined;
  await theirs(asking('DELETE', `${ADDRESSES}/${ip}`));
  return 'addresses lost';
}

function messageOf({ body }: ServiceAnswer): string {
  const { message = '' } = body as { readonly message?: string }; // As a Status has it.
  return message;
}

function asking(method: string, url: string) {
  return { method, url, contentType: 'application/json', body: undefined };
}

async function servicesOf(side: ServiceSide): Promise<readonly Service[]> {
  return (await side(asking('GET', SERVICES))).body['items'] as Service[]; // As a list has them.
}

async function hasAddress(side: ServiceSide, ip: string): Promise<boolean> {
  return (await servicesOf(side)).some(({ spec }) => spec.clusterIPs?.includes(ip) === true);
}

async function hasPort(side: ServiceSide, port: number, butFor: string): Promise<boolean> {
  return (await servicesOf(side)).some(
    ({ metadata, spec }) =>
      metadata.name !== butFor && [...nodePortsOf(spec), spec.healthCheckNodePort].includes(port),
  );
}

/** How many answers differ; each kind of difference is printed once. */
async function compared({ ours, theirs }: Sides, history: ServiceHistory): Promise<number> {
  const walked = await walkBeside({
    ours,
    theirs,
    steps: history.steps,
    stepAt: (nth) => stepOfHistory(history, nth),
    tell: toldStep,
    shown: shownAnswer,
    verbOf: ({ verb }) => verb,
    faultOf: ({ name }, own, other) => faultOf(theirs, name, own, other),
    forget: (side, { name }) => removeServices(side, [name]),
  });
  return tellWalk(`seed ${String(history.seed)}`, walked);
}

async function compareSeeds(): Promise<number> {
  const first = Number(values.seed ?? Date.now() % 1_000_000);
  // Checked by the table that it is looked up in.
  const [ranges, style] = [values.ranges as RangesName, values.style as StepStyle];
  let differences = 0;
  await withSides(ranges, async (sides) => {
    for (let seed = first; seed < first + Number(values.seeds); seed += 1) {
      differences += await compared(sides, { ranges, style, seed, steps: Number(values.steps) });
      await Promise.all([sides.ours, sides.theirs].map((side) => removeServices(side)));
    }
  });
  return differences;
}

async function confirmRecord(): Promise<number> {
  const answers: string[][] = [];
  for (const history of RECORDED_HISTORIES)
    await withSides(history.ranges, async ({ theirs }) => {
      answers.push(await toldHistory(theirs, history));
    });
  const wrong = serviceAnswers.confirm(answers);
  console.log(`histories that are not as recorded: ${wrong.join(', ') || 'none'}`);
  return wrong.length;
}

process.exit((await (values.record ? confirmRecord() : compareSeeds())) === 0 ? 0 : 1);
