/**
 * `npm run pictures`: the pictures of docs/pictures, taken anew of the built server in Chromium, each of the view that
 * docs/dashboard.md shows it for.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

import {
  kubeletTrust,
  machineAddress,
  nodeWithPod,
  type KubeletTrust,
} from '../streams/kubelets.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { chromiumProgram } from '../support/chromium.ts';
import { type JsonObject, type JsonValue, textAt } from '../support/json.ts';
import { startServer } from '../support/server.ts';
import { launch, logIn, openPage, shows } from './browser.ts';
import { ALICE, giveCluster, withUsers } from './given-cluster.ts';
import { runArguments } from '../../run-arguments.ts';

runArguments(import.meta.filename, {});

const FOLDER = join(import.meta.dirname, '../../docs/pictures');
const SHOP = '/api/v1/namespaces/shop';
const APPS = '/apis/apps/v1/namespaces/shop';
const DEPLOYMENT = '#/objects/apps/v1/deployments/shop/web';
/** Of what slides, opens or is drawn when all that it shows has come. */
const SETTLED_MS = 1_500;
const LOG = [
  'listening on :8080',
  'GET /cart 200 3ms',
  'GET /cart/7 200 4ms',
  'error: connection to redis lost, trying again in 200ms',
  'connected to redis',
  'GET /cart 200 2ms',
  'POST /cart/7/items 500 31ms error: timeout of inventory',
  'POST /cart/7/items 201 12ms',
];

mkdirSync(FOLDER, { recursive: true });
const trust = await kubeletTrust();
const node = await logsOfNode(trust);
const address = '--kubelet-preferred-address-types=InternalIP';
const server = await startServer({ args: [...withUsers(), ...trust.serverFlags, address] });
const browser = await launch(await chromiumProgram());
const client = await giveCluster(server);
try {
  await nodeWithPod(client, 'cart-0', {
    host: machineAddress(),
    port: (node.address() as AddressInfo).port,
  });
  const before = await newest();
  await owned();
  await changed();
  const opened = await openPage(browser, `${server.url}/everwatch/`);
  await logIn(opened, ALICE);
  await takeAll(opened.page, before);
} finally {
  client.close();
  await browser.close();
  await server.stop();
  node.close();
  trust.remove();
}

async function takeAll(page: Page, before: string): Promise<void> {
  const at = async (name: string, fragment: string, text: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
    await shows(page, text);
    await taken(page, name);
  };
  await at('overview', '#/overview', 'Back-off restarting failed container');
  await at('resources', '#/kinds/core/v1/pods', 'web-6f7c9d-3');
  await at('graph', DEPLOYMENT, 'Pod CrashLoopBackOff');
  await at('fields', `${DEPLOYMENT}?tab=fields`, 'spec.replicas');
  await page.evaluate(`location.hash = '#/objects/core/v1/pods/default/cart-0?tab=logs'`);
  await shows(page, 'connected to redis');
  await page.keyboard.press('/');
  await page.keyboard.type('error');
  await taken(page, 'logs');
  await at('past', `#/at/${before}/kinds/core/v1/pods`, 'migrate-x2x4k');
  await at('changes', `#/kinds/core/v1/pods?namespace=shop&since=${before}`, 'until now');
  await at('forks', '#/compare/try', 'as it was');
  await page.emulateMedia({ colorScheme: 'dark' });
  await at('dark', '#/objects/core/v1/pods/shop/web-6f7c9d-3', 'CrashLoopBackOff');
}

async function taken(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(SETTLED_MS);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  console.log(name);
}

async function newest(): Promise<string> {
  const { body } = await client.get(`${SHOP}/pods?limit=1`);
  return textAt(body, 'metadata', 'resourceVersion');
}

/** The pods of the shop come to be those of a set of a deployment. */
async function owned(): Promise<void> {
  const { body } = await client.get(`${APPS}/deployments/web`);
  const labels = { app: 'web' };
  const container = { name: 'web', image: 'nginx:1.29' };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const sets = await Promise.all(
    ['web-5b8d4c', 'web-6f7c9d'].map((name, replicas) =>
      done(
        client.post(`${APPS}/replicasets`, {
          metadata: { name, labels, ownerReferences: [ownerOf('Deployment', body)] },
          spec: { replicas: 4 * replicas, selector: { matchLabels: labels }, template },
        }),
      ),
    ),
  );
  for (let nth = 0; nth < 4; nth += 1) {
    const ownerReferences = [ownerOf('ReplicaSet', sets[1])];
    const name = `web-6f7c9d-${String(nth)}`;
    await done(client.patch(`${SHOP}/pods/${name}`, { metadata: { ownerReferences } }));
  }
}

/** What has become of the shop since, and what was tried in a fork of it. */
async function changed(): Promise<void> {
  const fork = { metadata: { name: 'try' }, spec: {} };
  const forks = '/apis/dev.everwatch/v1alpha1/forks';
  await done(client.post(forks, { apiVersion: 'dev.everwatch/v1alpha1', kind: 'Fork', ...fork }));
  const image = {
    spec: { template: { spec: { containers: [{ name: 'web', image: 'nginx:1.30' }] } } },
  };
  await done(client.patch(`/forks/try${APPS}/deployments/web`, image));
  await done(client.patch(`/forks/try${SHOP}/configmaps/settings`, { data: { colour: 'red' } }));
  await done(client.patch(`${SHOP}/configmaps/settings`, { data: { colour: 'green' } }));
  await done(client.delete(`${SHOP}/pods/migrate-x2x4k?gracePeriodSeconds=0`));
  const { body } = await client.get(`${SHOP}/pods/web-6f7c9d-3`);
  const restarted = JSON.parse(
    JSON.stringify(body).replace('"restartCount":7', '"restartCount":9'),
  ) as JsonObject;
  await done(client.put(`${SHOP}/pods/web-6f7c9d-3/status`, restarted));
  await done(
    client.post(`${SHOP}/pods`, {
      metadata: { name: 'web-6f7c9d-4' },
      spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] },
    }),
  );
}

function ownerOf(kind: string, owner: JsonValue | undefined): JsonObject {
  const [name, uid] = [textAt(owner, 'metadata', 'name'), textAt(owner, 'metadata', 'uid')];
  return { apiVersion: 'apps/v1', kind, name, uid, controller: true };
}

async function done(answer: ReturnType<AdminClient['post']>) {
  const { status, body } = await answer;
  if (status > 299) throw new Error(`${String(status)} ${JSON.stringify(body)}`);
  return body;
}

/** A node that has a log for each container, and nothing else. */
function logsOfNode({ node: { cert, key } }: KubeletTrust): Promise<Server> {
  const files = { cert: readFileSync(cert), key: readFileSync(key) };
  const listening = createServer(files, (_, answer) => {
    answer.writeHead(200, { 'Content-Type': 'text/plain' });
    // It is followed, so it has no end.
    answer.write(`${LOG.join('\n')}\n`);
  });
  return new Promise((resolve) => {
    listening.listen(0, machineAddress(), () => {
      resolve(listening);
    });
  });
}
