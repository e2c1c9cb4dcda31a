/** Views of the page in Chromium that join several objects: owners, own columns, many at once. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AdminClient } from '../support/admin-client.ts';
import { textAt } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { accessibilityProblems } from './accessibility.ts';
import { launch, openPage, type OpenedPage } from './browser.ts';
import { ALICE, giveCluster, withUsers } from './given-cluster.ts';

const WAIT = { timeout: 30_000 };

await describeWith('chromium', 'views of several objects', (chromium) => {
  const server = serverForThisFile({ args: withUsers() });
  let browser: Browser | undefined;
  let admin: AdminClient | undefined;
  let opened: OpenedPage | undefined;

  beforeAll(async () => {
    browser = await launch(chromium);
    admin = await giveCluster(server());
    opened = await openPage(browser, `${server().url}/everwatch/`);
    await page().getByLabel('Bearer token').fill(ALICE);
    await page().keyboard.press('Enter');
    await page().getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(async () => {
    admin?.close();
    await browser?.close();
  });

  function page(): Page {
    if (opened === undefined) throw new Error('there is no page');
    return opened.page;
  }
  function api(): AdminClient {
    if (admin === undefined) throw new Error('there is no client');
    return admin;
  }
  async function goTo(fragment: string): Promise<void> {
    await page().evaluate(`location.hash = ${JSON.stringify(fragment)}`);
  }

  it('owners and dependents are a graph that is live', async () => {
    const deployment = await api().get('/apis/apps/v1/namespaces/shop/deployments/web');
    const owner = (kind: string, name: string, uid: string) => [
      { apiVersion: 'apps/v1', kind, name, uid, controller: true },
    ];
    const labels = { app: 'web' };
    const sets = '/apis/apps/v1/namespaces/shop/replicasets';
    const made = await api().post(sets, {
      metadata: {
        name: 'web-6f7c9d',
        ownerReferences: owner('Deployment', 'web', textAt(deployment.body, 'metadata', 'uid')),
      },
      spec: {
        replicas: 4,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] },
        },
      },
    });
    expect(made.status).toBe(201);
    await goTo('#/objects/apps/v1/deployments/shop/web');
    const graph = page().getByRole('group', { name: 'Owners and dependents' });
    await graph.getByRole('link', { name: 'web-6f7c9d' }).waitFor();
    const ownerReferences = owner('ReplicaSet', 'web-6f7c9d', textAt(made.body, 'metadata', 'uid'));
    await api().patch('/api/v1/namespaces/shop/pods/web-6f7c9d-3', {
      metadata: { ownerReferences },
    });
    await graph.getByRole('link', { name: 'web-6f7c9d-3' }).waitFor();
    await graph.getByText('Pod CrashLoopBackOff').waitFor();
    expect(await accessibilityProblems(page())).toEqual([]);
    await graph.getByRole('link', { name: 'web-6f7c9d-3' }).click();
    await page().getByRole('heading', { name: 'web-6f7c9d-3' }).waitFor();
    await expect
      .poll(() => graph.getByRole('link').allInnerTexts(), WAIT)
      .toEqual(['web', 'web-6f7c9d']);
  });

  it('a table has the columns that its user wants, with a look at them first', async () => {
    await goTo('#/kinds/core/v1/pods?namespace=shop');
    await page().getByRole('button', { name: 'Columns…' }).click();
    await page().getByRole('checkbox', { name: /^Node/ }).check();
    await page().getByRole('checkbox', { name: 'Restarts' }).uncheck();
    await page().getByLabel('JSONPath').fill('.spec.containers[');
    await page().getByText('cannot be read').waitFor();
    await page().getByLabel('JSONPath').fill('{.spec.containers[0].image}');
    await page().getByText('nginx:1.29').first().waitFor();
    expect(await accessibilityProblems(page())).toEqual([]);
    await page().getByLabel('Own column').fill('Image');
    await page().keyboard.press('Enter');
    await page().getByRole('button', { name: 'Close' }).click();
    const heads = (): Promise<string[]> =>
      page().locator('.grid thead th[scope] button').allInnerTexts();
    await expect
      .poll(async () => (await heads()).map((head) => head.trim()), WAIT)
      .toEqual(['Name', 'Ready', 'Status', 'Age', 'Node', 'Image']);
    await page().getByRole('cell', { name: 'nginx:1.29' }).first().waitFor();
    expect(page().url()).toContain('columns=');
  });

  it('several objects are labelled and deleted at once, and each refusal is told', async () => {
    const kept = '/api/v1/namespaces/shop/configmaps';
    for (const name of ['one', 'two', 'three']) await api().post(kept, { metadata: { name } });
    await goTo('#/kinds/core/v1/configmaps?namespace=shop&filter=t');
    for (const name of ['two', 'three']) await page().getByLabel(`Choose ${name}`).check();
    await page().getByRole('button', { name: 'Label…' }).click();
    await page().getByLabel('Label', { exact: true }).fill('team=shop');
    await page().getByRole('button', { name: 'Label', exact: true }).click();
    await page().getByText('2 ConfigMaps labelled.').waitFor();
    const labelled = await api().get(`${kept}?labelSelector=team%3Dshop`);
    expect(JSON.stringify(labelled.body)).toMatch(/"three".*"two"/);
    for (const name of ['two', 'three']) await page().getByLabel(`Choose ${name}`).check();
    await page().getByRole('button', { name: 'Delete…' }).click();
    await api().delete(`${kept}/two`);
    await page().getByRole('button', { name: 'Delete', exact: true }).click();
    await page().getByRole('heading', { name: '1 ConfigMap deleted, 1 refused.' }).waitFor();
    await page().getByText('configmaps "two" not found').waitFor();
    expect(await accessibilityProblems(page())).toEqual([]);
    await page().keyboard.press('Escape');
  });
});
