/** Views of the page in Chromium that join several objects: owners, own columns, many at once. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { textAt } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { accessibilityProblems } from './accessibility.ts';
import { logIn, type OpenedPage, shows } from './browser.ts';
import { ALICE, withUsers } from './given-cluster.ts';
import { shopForThisFile } from './shop-for-this-file.ts';

await describeWith('chromium', 'views of several objects', (chromium) => {
  const server = serverForThisFile({ args: withUsers() });
  const { api, open } = shopForThisFile(chromium, server);
  let opened: OpenedPage | undefined;

  beforeAll(async () => {
    opened = await open();
    await logIn(opened, ALICE);
  });

  function page(): Page {
    if (opened === undefined) throw new Error('there is no page');
    return opened.page;
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
    await shows(graph, 'Pod CrashLoopBackOff');
    expect(await accessibilityProblems(page())).toEqual([]);
    await graph.getByRole('link', { name: 'web-6f7c9d-3' }).click();
    await page().getByRole('heading', { name: 'web-6f7c9d-3' }).waitFor();
    await expect.poll(() => graph.getByRole('link').allInnerTexts()).toEqual(['web', 'web-6f7c9d']);
  });

  it('a table has the columns that its user wants, with a look at them first', async () => {
    await goTo('#/kinds/core/v1/pods?namespace=shop');
    await page().getByRole('button', { name: 'Columns…' }).click();
    await page().getByRole('checkbox', { name: /^Node/ }).check();
    await page().getByRole('checkbox', { name: 'Restarts' }).uncheck();
    await page().getByLabel('JSONPath').fill('.spec.containers[');
    await shows(page(), 'cannot be read');
    await page().getByLabel('JSONPath').fill('{.spec.containers[0].image}');
    await shows(page(), 'nginx:1.29');
    expect(await accessibilityProblems(page())).toEqual([]);
    await page().getByLabel('Own column').fill('Image');
    await page().keyboard.press('Enter');
    await page().getByRole('button', { name: 'Close' }).click();
    const heads = (): Promise<string[]> =>
      page().locator('.grid thead th[scope] button').allInnerTexts();
    await expect
      .poll(async () => (await heads()).map((head) => head.trim()))
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
    await shows(page(), '2 ConfigMaps labelled.');
    const labelled = await api().get(`${kept}?labelSelector=team%3Dshop`);
    expect(JSON.stringify(labelled.body)).toMatch(/"three".*"two"/);
    for (const name of ['two', 'three']) await page().getByLabel(`Choose ${name}`).check();
    await page().getByRole('button', { name: 'Delete…' }).click();
    await api().delete(`${kept}/two`);
    await page().getByRole('button', { name: 'Delete', exact: true }).click();
    await page().getByRole('heading', { name: '1 ConfigMap deleted, 1 refused.' }).waitFor();
    await shows(page(), 'configmaps "two" not found');
    expect(await accessibilityProblems(page())).toEqual([]);
    await page().keyboard.press('Escape');
  });

  it('a table tells what became of it between two moments', async () => {
    const kept = '/api/v1/namespaces/payments/configmaps';
    for (const name of ['gone', 'changed']) await api().post(kept, { metadata: { name } });
    const { body } = await api().get(kept);
    const since = textAt(body, 'metadata', 'resourceVersion');
    await api().delete(`${kept}/gone`);
    await api().patch(`${kept}/changed`, { data: { a: 'b', c: 'd' } });
    await api().post(kept, { metadata: { name: 'fresh' } });
    await goTo(`#/kinds/core/v1/configmaps?namespace=payments&since=${since}`);
    await shows(page(), '1 added, 1 removed, 1 changed');
    const row = (name: RegExp) => page().getByRole('row', { name });
    await row(/changed payments changed/)
      .locator('ins', { hasText: '2' })
      .waitFor();
    await api().post(kept, { metadata: { name: 'later' } });
    await shows(page(), '2 added, 1 removed, 1 changed');
    expect(await accessibilityProblems(page())).toEqual([]);
    await page().getByLabel('What changed since').fill('soon');
    await page().keyboard.press('Enter');
    await shows(page(), 'Enter a version, a time');
    await row(/removed/)
      .getByRole('link', { name: 'gone' })
      .click();
    await page().getByRole('heading', { name: 'gone' }).waitFor();
    expect(page().url()).toContain(`/at/${since}/`);
    await page().keyboard.press('n');
  });

  it('an object of two moments is seen beside each other, as YAML', async () => {
    const web = '/apis/apps/v1/namespaces/shop/deployments/web';
    const versions = async (): Promise<string[]> => {
      const query = 'resource=apps/deployments&path=shop/web';
      const text = await api().open(`/everwatch/v1/log?${query}`);
      let lines = '';
      for await (const chunk of text.setEncoding('utf8')) lines += String(chunk);
      return [...lines.matchAll(/^\{"resourceVersion":(\d+)/gm)].map(([, version = '']) => version);
    };
    const [made = ''] = await versions();
    await goTo(`#/objects/apps/v1/deployments/shop/web?tab=yaml&with=${made}`);
    const sides = page().locator('.cm-mergeView .cm-content');
    await shows(sides.first(), 'nginx:1.28');
    await shows(sides.last(), 'nginx:1.29');
    expect(await accessibilityProblems(page())).toEqual([]);
    await page().getByLabel('Compare with').fill('soon');
    await page().keyboard.press('Enter');
    await shows(page(), 'Enter a version, a time');
    // The slider's moment is the other side.
    await goTo(`#/at/${made}/objects/apps/v1/deployments/shop/web?tab=yaml&with=now`);
    await shows(sides.first(), 'nginx:1.28');
    await api().patch(web, { metadata: { labels: { seen: 'live' } } });
    await goTo('#/objects/apps/v1/deployments/shop/web?tab=history');
    const newest = page().locator('.revisions li').filter({ hasText: 'labels.seen' }).first();
    await newest.getByRole('link', { name: 'YAML' }).click();
    await shows(sides.last(), 'seen: live');
  });

  it('a kind and an object of it are reached by keys alone', async () => {
    await goTo('#/overview');
    await page().getByRole('heading', { level: 2, name: 'Overview' }).waitFor();
    await page().evaluate('document.activeElement?.blur()');
    await page().keyboard.press('k');
    await page().keyboard.type('configmap');
    // To the first that is found.
    await page().keyboard.press('Enter');
    await page().keyboard.press('Enter');
    await page().getByRole('heading', { level: 2, name: 'ConfigMaps' }).waitFor();
    await page().locator('.grid tbody a').first().waitFor();
    await page().keyboard.press('j');
    await page().keyboard.press('ArrowDown');
    await page().keyboard.press('Enter');
    await page().getByRole('tab', { name: 'YAML' }).waitFor();
    expect(await page().evaluate('location.hash')).toMatch(/^#\/objects\/core\/v1\/configmaps\//);
  });

  it('a service shows the command that reaches its ports', async () => {
    await goTo('#/objects/core/v1/services/shop/web');
    await shows(page(), 'port-forward -n shop service/web 8080:80');
  });

  it('what is shown of one object is not taken for another one of another kind', async () => {
    const before = opened?.complaints.length ?? 0;
    for (const one of ['configmaps/shop/settings', 'services/shop/web', 'pods/shop/web-6f7c9d-0']) {
      await goTo(`#/objects/core/v1/${one}`);
      await page().locator('.facts dd').first().waitFor();
    }
    await page().getByRole('heading', { name: 'Containers' }).waitFor();
    expect(opened?.complaints.slice(before)).toEqual([]);
  });

  it('changes of one user are marked, whatever is shown', async () => {
    await goTo('#/objects/core/v1/configmaps/shop/settings');
    const changes = page()
      .locator('.ends')
      .getByText(/^\d+ changes?$/);
    await expect.poll(() => changes.innerText()).toBe('1 change');
    await page().keyboard.press('m');
    await page().getByLabel('Whose changes').selectOption('user kubernetes-admin');
    await expect.poll(async () => parseInt(await changes.innerText(), 10)).toBeGreaterThan(20);
    await page().getByLabel('Whose changes').selectOption('');
  });

  it('a fork is seen beside now, and a change of it is tried and applied outside', async () => {
    const forks = '/apis/dev.everwatch/v1alpha1/forks';
    const kind = { apiVersion: 'dev.everwatch/v1alpha1', kind: 'Fork' };
    expect((await api().post(forks, { ...kind, metadata: { name: 'idea' } })).status).toBe(201);
    const settings = '/api/v1/namespaces/shop/configmaps/settings';
    await api().patch(`/forks/idea${settings}`, { data: { colour: 'green' } });
    await goTo('#/forks');
    await page().getByRole('link', { name: 'Compare with now' }).click();
    await page().getByRole('button', { name: 'Compare settings' }).click();
    await shows(page().locator('.cm-mergeView'), 'green');
    expect(await accessibilityProblems(page())).toEqual([]);
    await page().getByRole('button', { name: 'Try it outside of the fork' }).click();
    await shows(page(), /^Apply failed with 1 conflict/);
    await page().getByLabel('Take over the fields').check();
    await page().getByRole('button', { name: 'Try it outside of the fork' }).click();
    await shows(page(), 'Nothing is written yet');
    const colour = async (): Promise<string> =>
      textAt((await api().get(settings)).body, 'data', 'colour');
    expect(await colour()).toBe('blue');
    await page().getByRole('button', { name: 'Apply it' }).click();
    await shows(page(), 'settings is applied outside of the fork.');
    expect(await colour()).toBe('green');
    expect(opened?.complaints).toEqual([]);
  });
});
