/**
 * The page at its full size: `npm run robustness:page -- [--only pods,changes,slider,replicas] [--pods 100000]
 * [--minutes 10] [--events 1000000] [--kills 10]`. Prints figures with the load of the machine beside them;
 * code 1 where the page lost something, or its heap grew.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

import { ReplicaGroup } from '../kafka/replica-group.ts';
import { adminClient } from '../support/admin-client.ts';
import { Balancer } from '../support/balancer.ts';
import { chromiumProgram } from '../support/chromium.ts';
import { QUICK_FAILOVER, startKafka } from '../support/kafka-broker.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import { launch, logIn, openPage, shows } from './browser.ts';
import { ALICE, withUsers } from './given-cluster.ts';
import { type LargeLog, makeLargeLog } from './large-log.ts';
import { heapMib, msUntilMoved, msUntilRows, scrolled } from './page-figures.ts';
import { runArguments } from '../../run-arguments.ts';

const { values } = runArguments(import.meta.filename, {
  options: {
    only: { type: 'string', default: 'pods,changes,slider,replicas' },
    pods: { type: 'string', default: '100000' },
    minutes: { type: 'string', default: '10' },
    events: { type: 'string', default: '1000000' },
    kills: { type: 'string', default: '10' },
  },
});

const MINUTE_MS = 60_000;
const PODS = '/api/v1/namespaces/default/pods';
const MAPS = '/api/v1/namespaces/default/configmaps';
const POD: Omit<LargeLog, 'objects' | 'changes'> = {
  resource: 'core/pods',
  path: PODS,
  body: {
    metadata: { name: 'first', labels: { app: 'web' } },
    spec: { nodeName: 'worker-1', containers: [{ name: 'web', image: 'nginx:1.29' }] },
  },
};
/** More than this of what it was, and the heap grows. */
const GROWN = 1.15;

function say(text: string): void {
  console.log(`${text} (load ${loadavg()[0]?.toFixed(1) ?? ''})`);
}

async function loggedIn(browser: Browser, url: string): Promise<Page> {
  const opened = await openPage(browser, `${url}/everwatch/`);
  opened.page.setDefaultTimeout(5 * MINUTE_MS);
  await logIn(opened, ALICE);
  return opened.page;
}

/** A page on a server of a log that was made so. */
async function onLargeLog(
  browser: Browser,
  log: LargeLog,
  body: (page: Page, server: RunningServer) => Promise<boolean>,
): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'everwatch-page-'));
  try {
    await makeLargeLog(dataDir, log);
    const server = await startServer({ dataDir, args: withUsers() });
    try {
      return await body(await loggedIn(browser, server.url), server);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function middle(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

const RUNS: Readonly<Record<string, (browser: Browser) => Promise<boolean>>> = {
  pods: (browser) =>
    onLargeLog(browser, { ...POD, objects: Number(values.pods), changes: 0 }, async (page) => {
      const firsts: number[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        firsts.push(await msUntilRows(page, '#/kinds/core/v1/pods'));
        await page.evaluate(`location.hash = '#/overview'`);
        await page.getByRole('heading', { name: 'Overview' }).waitFor();
      }
      await msUntilRows(page, '#/kinds/core/v1/pods');
      const slow = await scrolled(page, 5_000, 40);
      const fast = await scrolled(page, 5_000, 2_000);
      const heap = await heapMib(page);
      const ms = firsts.map((one) => one.toFixed(0)).join(', ');
      say(`${values.pods} pods: first rows after ${ms} ms; heap ${heap.toFixed(1)} MiB`);
      for (const [name, { fps, longestMs, filled }] of Object.entries({ slow, fast })) {
        say(
          `scrolled ${name}: ${fps.toFixed(1)} frames a second, the longest ${longestMs.toFixed(0)} ms, ` +
            `${(100 * filled).toFixed(0)} % of them with rows`,
        );
      }
      return true;
    }),

  changes: (browser) =>
    onLargeLog(browser, { ...POD, objects: 10_000, changes: 0 }, async (page, server) => {
      const client = adminClient(server);
      await msUntilRows(page, '#/kinds/core/v1/pods');
      const until = Date.now() + Number(values.minutes) * MINUTE_MS;
      const heaps: number[] = [];
      let changes = 0;
      const changing = (async () => {
        for (let nth = 0; Date.now() < until; nth += 1) {
          const name = `n${String((nth * 7_919) % 10_000).padStart(6, '0')}`;
          const phase = nth % 2 === 0 ? 'Running' : 'Pending';
          await client.patch(`${PODS}/${name}/status`, { status: { phase } });
          changes += 1;
        }
      })();
      while (Date.now() < until) {
        await new Promise((resolve) =>
          setTimeout(resolve, (Number(values.minutes) * MINUTE_MS) / 12),
        );
        heaps.push(await heapMib(page));
      }
      await changing;
      client.close();
      const [early, late] = [middle(heaps.slice(2, 6), 0.5), middle(heaps.slice(-4), 0.5)];
      say(
        `${values.minutes} minutes of changes of 10,000 pods, ${String(changes)} of them: heap in MiB ` +
          heaps.map((one) => one.toFixed(1)).join(', '),
      );
      return late <= early * GROWN;
    }),

  slider: (browser) => {
    const objects = 1_000;
    const changes = Number(values.events) / objects - 1;
    const body = { metadata: { name: 'first' }, data: { a: '1' } };
    const log = { resource: 'core/configmaps', path: MAPS, body, objects, changes };
    return onLargeLog(browser, log, async (page) => {
      await msUntilRows(page, '#/kinds/core/v1/configmaps?namespace=default');
      await msUntilMoved(page, 500);
      const times: number[] = [];
      for (let turn = 0; turn < 60; turn += 1) {
        times.push(await msUntilMoved(page, 20 + ((turn * 377) % 950)));
      }
      say(
        `the slider over ${values.events} events, ${String(objects)} rows: from the drag to the painted table ` +
          `${middle(times, 0.5).toFixed(0)} ms in the middle, ${middle(times, 0.95).toFixed(0)} of 95 %, ` +
          `${Math.max(...times).toFixed(0)} at most`,
      );
      return true;
    });
  },

  async replicas(browser) {
    const cluster = await startKafka({ properties: QUICK_FAILOVER });
    const replicas = new ReplicaGroup(cluster.bootstrap);
    // Where all is allowed, the balancer's question without credentials is not.
    const args = [...withUsers(), '--authorization-mode=RBAC'];
    const started = [
      await replicas.start('page', { args }),
      await replicas.start('page', { args }),
    ];
    const balancer = await Balancer.start(started.map(({ server }) => server.url));
    try {
      const page = await loggedIn(browser, balancer.url);
      await page.evaluate(`location.hash = '#/kinds/core/v1/configmaps?namespace=default'`);
      const names = page.locator('.grid tbody a');
      const gaps: number[] = [];
      for (let kill = 0; kill < Number(values.kills); kill += 1) {
        const [victim, survivor] = [started[kill % 2], started[(kill + 1) % 2]];
        const name = `made-${String(kill).padStart(3, '0')}`;
        await victim?.server.kill9();
        const from = performance.now();
        await survivor?.client.post(MAPS, { metadata: { name } });
        await shows(names, name);
        gaps.push(performance.now() - from);
        await victim?.server.restart();
      }
      const shown = await names.allInnerTexts();
      say(
        `${values.kills} replicas killed under the page: what the other one wrote is shown after ` +
          `${middle(gaps, 0.5).toFixed(0)} ms in the middle, ${Math.max(...gaps).toFixed(0)} at most`,
      );
      return shown.length === Number(values.kills) && new Set(shown).size === shown.length;
    } finally {
      await balancer.stop();
      await replicas.stop();
      await cluster.stop();
    }
  },
};

let isBroken = false;
for (const name of values.only.split(',')) {
  const run = RUNS[name];
  if (run === undefined) throw new Error(`there is no run ${name}`);
  const browser = await launch(await chromiumProgram());
  try {
    isBroken = !(await run(browser)) || isBroken;
  } finally {
    await browser.close();
  }
}
process.exit(isBroken ? 1 : 0);
