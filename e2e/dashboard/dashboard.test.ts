/**
 * The page in Chromium, against the server that was built: its views, as an administrator and as a user
 * with few rights, and what axe-core and the policy of the page say of them.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { textAt } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { wireClient } from '../media/wire.ts';
import { accessibilityProblems } from './accessibility.ts';
import { logIn, type OpenedPage, shows, TOKEN_FIELD } from './browser.ts';
import { ALICE, BOB, withUsers } from './given-cluster.ts';
import { shopForThisFile } from './shop-for-this-file.ts';

await describeWith('chromium', 'the page', (chromium) => {
  const server = serverForThisFile({ args: [...withUsers(), '--authorization-mode=RBAC'] });
  const { api, open } = shopForThisFile(chromium, server);
  let alice: OpenedPage | undefined;

  beforeAll(async () => {
    alice = await loggedIn(ALICE);
  });

  async function loggedIn(token: string): Promise<OpenedPage> {
    const one = await open();
    await logIn(one, token);
    return one;
  }
  /** Until the server has noticed that a token does not hold: it remembers for some seconds that one does. */
  async function refused(token: string): Promise<void> {
    const client = wireClient({ url: server().url, token });
    const status = (): Promise<number> =>
      client.send({ method: 'GET', path: '/version' }).then((answer) => answer.status);
    await expect.poll(status).toBe(401);
    client.close();
  }
  /** Of a service account that is new. */
  async function guestToken(): Promise<string> {
    const accounts = '/api/v1/namespaces/shop/serviceaccounts';
    await api().post(accounts, { metadata: { name: 'guest' } });
    const made = await api().post(`${accounts}/guest/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 600 },
    });
    return textAt(made.body, 'status', 'token');
  }
  function page(): Page {
    if (alice === undefined) throw new Error('there is no page');
    return alice.page;
  }
  async function goTo(fragment: string): Promise<void> {
    await page().evaluate(`location.hash = ${JSON.stringify(fragment)}`);
  }
  /** Names in the table, from top to bottom. */
  const names = (): Promise<string[]> => page().locator('.grid tbody a').allInnerTexts();
  const namesBecome = (expected: readonly string[]) => expect.poll(names).toEqual(expected);

  describe('for a user that is unknown', () => {
    it('asks for a token, says when one is wrong, and keeps none in the address', async () => {
      const { page: shown, close } = await open();
      await shown.getByLabel(TOKEN_FIELD).fill('wrong');
      await shown.keyboard.press('Enter');
      await shows(shown, 'The server does not know this token.');
      expect(await accessibilityProblems(shown)).toEqual([]);
      expect(await shown.evaluate('sessionStorage.length')).toBe(0);
      await shown.getByLabel(TOKEN_FIELD).fill(ALICE);
      await shown.keyboard.press('Enter');
      await shown.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(shown.url()).not.toContain(ALICE);
      await shown.reload();
      await shown.getByRole('heading', { name: 'Overview' }).waitFor();
      await shown.getByRole('button', { name: 'Log out' }).click();
      await shown.getByLabel(TOKEN_FIELD).waitFor();
      expect(await shown.evaluate('sessionStorage.length')).toBe(0);
      await close();
    });

    // Whether its socket is open by then or not: a socket that is refused does not say why.
    it.each(['open', 'not yet open'])(
      'asks again when a token does not hold any more, while the page is open and its socket is %s',
      async (socket) => {
        let release = (): void => undefined;
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        const guest = await open();
        await guest.page.routeWebSocket(/live$/, async (route) => {
          await released;
          route.connectToServer();
        });
        if (socket === 'open') release();
        const token = await guestToken();
        await logIn(guest, token);
        // A table asks for nothing by itself, where the overview asks for the checks again and again.
        await guest.page.evaluate("location.hash = '#/kinds/core/v1/configmaps?namespace=shop'");
        // The name is shown while the socket is open. The table's refusal has it too.
        if (socket === 'open') await shows(guest.page.getByRole('status'), 'shop:guest');
        else await guest.page.getByRole('heading', { name: 'ConfigMaps' }).waitFor();
        await api().delete('/api/v1/namespaces/shop/serviceaccounts/guest');
        if (socket !== 'open') await refused(token);
        release();
        // The server remembers a token for 10 s, and asks again for those of open sockets every 10 s.
        await shows(guest.page, 'The server does not take this token any more.');
        expect(await guest.page.evaluate('document.activeElement?.id')).toBe('token');
        await guest.close();
      },
    );
  });

  it('shows how the control plane is', async () => {
    await goTo('#/overview');
    // By its heading: the tile of the changes names kinds as well.
    const tile = (title: string) =>
      page()
        .locator('.tile')
        .filter({ has: page().getByRole('heading', { name: title }) });
    await shows(tile('Control plane'), 'Ready', { exact: true });
    await shows(tile('Nodes'), '3', { exact: true });
    await shows(tile('Pods'), 'CrashLoopBackOff');
    await shows(tile('Warnings'), 'Back-off restarting failed container');
    // Of this moment, as others may have written since the shop was made.
    const newest = { metadata: { name: 'newest' } };
    await api().post('/api/v1/namespaces/shop/configmaps', newest);
    await tile('Newest changes').getByRole('link', { name: 'shop/newest' }).first().waitFor();
    expect(await accessibilityProblems(page())).toEqual([]);
  });

  describe('a table', () => {
    it('is live, filtered and sorted by the server', async () => {
      await goTo('#/kinds/core/v1/pods?namespace=shop');
      const all = ['migrate-x2x4k', ...[0, 1, 2, 3].map((at) => `web-6f7c9d-${String(at)}`)];
      await namesBecome(all);
      await page().keyboard.press('/');
      await page().keyboard.type('crash');
      await namesBecome(['web-6f7c9d-3']);
      await page().getByLabel('Filter').fill('');
      await page().getByRole('button', { name: 'Restarts' }).click();
      await page().getByRole('button', { name: 'Restarts' }).click();
      await expect.poll(names).toHaveLength(5);
      await expect.poll(async () => (await names())[0]).toBe('web-6f7c9d-3');
      await api().delete('/api/v1/namespaces/shop/pods/migrate-x2x4k?gracePeriodSeconds=0');
      await expect.poll(names).toHaveLength(4);
      expect(await accessibilityProblems(page())).toEqual([]);
    });

    it('has custom resources as soon as they are defined', async () => {
      const group = 'test.example';
      await api().post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        metadata: { name: `clocks.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'clocks', kind: 'Clock' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
              additionalPrinterColumns: [{ name: 'Zone', type: 'string', jsonPath: '.zone' }],
            },
          ],
        },
      });
      await page().getByRole('link', { name: 'Clocks' }).click();
      await api().post(`/apis/${group}/v1/namespaces/shop/clocks`, {
        apiVersion: `${group}/v1`,
        kind: 'Clock',
        metadata: { name: 'tower' },
        zone: 'UTC',
      });
      await page().getByRole('cell', { name: 'UTC' }).waitFor();
    });
  });

  describe('an object', () => {
    it('tells which user gave each field its value, and what each change was', async () => {
      await goTo('#/objects/apps/v1/deployments/shop/web');
      await page().getByRole('button', { name: 'Scale…' }).waitFor();
      expect(await accessibilityProblems(page())).toEqual([]);
      await page().getByRole('tab', { name: 'Fields' }).click();
      const image = page().getByRole('row', { name: /containers\[web\]\.image/ });
      await shows(image, '"nginx:1.29"');
      expect(await accessibilityProblems(page())).toEqual([]);
      await page().getByRole('tab', { name: 'History' }).click();
      const revisions = page().getByRole('listitem').filter({ hasText: 'spec.replicas' });
      await shows(revisions, '4', { exact: true });
      expect(await accessibilityProblems(page())).toEqual([]);
    });

    it('is scaled, and changed as YAML behind a dry run and a look at what differs', async () => {
      await page().getByRole('button', { name: 'Scale…' }).click();
      await page().getByLabel('Replicas').fill('6');
      await page().getByRole('button', { name: 'Scale', exact: true }).click();
      await shows(page(), 'web is scaled to 6.');
      await page().getByRole('tab', { name: 'YAML' }).click();
      const editor = page().locator('.cm-content');
      await editor.click();
      await page().keyboard.press('Control+A');
      const yaml = await api().get('/apis/apps/v1/namespaces/shop/deployments/web', {
        accept: 'application/yaml',
      });
      const text = typeof yaml.body === 'string' ? yaml.body : '';
      await page().keyboard.insertText(text.replace('replicas: 6', 'replicas: nine'));
      await page().getByRole('button', { name: 'Review the change' }).click();
      await page().getByRole('alert').waitFor();
      await editor.click();
      await page().keyboard.press('Control+A');
      await page().keyboard.insertText(text.replace('replicas: 6', 'replicas: 9'));
      await page().getByRole('button', { name: 'Review the change' }).click();
      await page().getByRole('button', { name: 'Write it' }).waitFor();
      expect(await replicas()).toBe('6');
      expect(await accessibilityProblems(page())).toEqual([]);
      await page().getByRole('button', { name: 'Write it' }).click();
      await shows(page(), 'It is written.');
      expect(await replicas()).toBe('9');
    });

    async function replicas(): Promise<string> {
      const { body } = await api().get('/apis/apps/v1/namespaces/shop/deployments/web');
      return /"replicas":(\d+)/.exec(JSON.stringify(body))?.[1] ?? '';
    }
  });

  describe('time', () => {
    it('moves the whole page, by keys from change to change, and back to now', async () => {
      await goTo('#/objects/apps/v1/deployments/shop/web?tab=fields');
      const value = page()
        .getByRole('row', { name: /^spec\.replicas/ })
        .getByRole('cell')
        .nth(1);
      const hasValue = (text: string) => expect.poll(() => value.innerText()).toBe(text);
      await hasValue('9');
      // The keys go from mark to mark, which come by themselves: it was made, and changed four times.
      await shows(page().locator('.ends'), '5 changes');
      await page().keyboard.press('[');
      await hasValue('6');
      await page().keyboard.press('[');
      await hasValue('4');
      expect(page().url()).toContain('/at/');
      expect(await accessibilityProblems(page())).toEqual([]);
      await page().keyboard.press(']');
      await hasValue('6');
      await page().reload();
      await hasValue('6');
      await page().keyboard.press('n');
      await hasValue('9');
    });

    it('shows what is gone, and the slider finds it', async () => {
      await goTo('#/kinds/core/v1/pods?namespace=shop');
      await expect.poll(names).toHaveLength(4);
      await goTo('#/objects/core/v1/pods/shop/migrate-x2x4k');
      await page().getByRole('link', { name: 'Show it as it was before' }).click();
      await shows(page(), 'Succeeded');
      await goTo('#/kinds/core/v1/pods?namespace=shop');
      await expect.poll(names).toHaveLength(4);
      await page().getByLabel('The moment that is shown').focus();
      await page().keyboard.press('Home');
      await shows(page(), 'There is none here.');
      await page().keyboard.press('End');
      await expect.poll(names).toHaveLength(4);
      expect(page().url()).not.toContain('/at/');
    });
  });

  it('makes a fork, in which a change stays', async () => {
    await goTo('#/forks');
    await page().getByRole('button', { name: 'Fork now…' }).click();
    await page().getByLabel('Name').fill('try');
    expect(await accessibilityProblems(page())).toEqual([]);
    await page().getByRole('button', { name: 'Make the fork' }).click();
    await shows(page(), 'This is the fork');
    await goTo('#/forks/try/objects/core/v1/configmaps/shop/settings');
    await page().getByRole('button', { name: 'Delete…' }).click();
    await page().getByRole('button', { name: 'Delete', exact: true }).click();
    await shows(page(), 'settings is deleted.');
    const there = await api().get('/api/v1/namespaces/shop/configmaps/settings');
    const inFork = await api().get('/forks/try/api/v1/namespaces/shop/configmaps/settings');
    expect([there.status, inFork.status]).toEqual([200, 404]);
    await page().getByRole('button', { name: 'Leave the fork' }).click();
    await page().getByRole('button', { name: 'Delete…' }).waitFor();
  });

  it('has nothing for a user that he may not see or do', async () => {
    const bob = await loggedIn(BOB);
    // What the slider reaches back to is not called all there is.
    await shows(bob.page, 'You may not see how far back the log reaches.');
    const reach = bob.page.getByLabel('How far back the slider reaches');
    expect(await reach.locator('option').allInnerTexts()).not.toContain('All');
    expect(await reach.inputValue()).toBe(String(60 * 60_000));
    await reach.selectOption('24 h');
    const begins = async (): Promise<string> =>
      (await bob.page.locator('.ends span').first().innerText()).trim();
    await expect.poll(begins).toMatch(/\d \d\d:\d\d/);
    await bob.page.getByLabel('Namespace').fill('shop');
    await bob.page.keyboard.press('Enter');
    await bob.page.getByLabel('Find a kind').fill('service');
    await bob.page.locator('nav').getByRole('link', { name: 'Services', exact: true }).click();
    await shows(bob.page, /You may read this here, but not watch it/);
    // What was looked for is found, and the other kinds are there again.
    await bob.page.locator('nav').getByRole('link', { name: 'Pods', exact: true }).click();
    await bob.page.getByRole('link', { name: 'web-6f7c9d-0' }).waitFor();
    await bob.page.getByRole('link', { name: 'ConfigMaps' }).waitFor();
    expect(await bob.page.getByRole('link', { name: 'Secrets' }).count()).toBe(0);
    expect(await bob.page.getByRole('link', { name: 'Nodes' }).count()).toBe(0);
    expect(await bob.page.getByRole('button', { name: 'New…' }).count()).toBe(0);
    await bob.page.getByRole('link', { name: 'web-6f7c9d-0' }).click();
    await bob.page.getByRole('tab', { name: 'History' }).click();
    await shows(bob.page.getByRole('tabpanel'), 'made', { exact: true });
    expect(await bob.page.getByRole('button', { name: 'Delete…' }).count()).toBe(0);
    await bob.close();
  });

  it('reads well in the dark and in a window of 1,024 pixels', async () => {
    await page().emulateMedia({ colorScheme: 'dark' });
    await page().setViewportSize({ width: 1_024, height: 700 });
    for (const [place, title] of [
      ['#/overview', 'Overview'],
      ['#/kinds/core/v1/pods', 'Pods'],
      ['#/objects/core/v1/nodes/_/worker-1', 'worker-1'],
      // Longer than the window, so that the text scrolls.
      ['#/objects/apps/v1/deployments/shop/web?tab=yaml', 'web'],
    ] as const) {
      await goTo(place);
      await page().getByRole('heading', { level: 2, name: title }).waitFor();
      if (place.endsWith('yaml')) await page().getByRole('textbox', { name: 'YAML' }).waitFor();
      expect(await accessibilityProblems(page())).toEqual([]);
      const wide = await page().evaluate('document.documentElement.scrollWidth');
      expect(wide).toBeLessThanOrEqual(1_024);
    }
  });

  it('breaks no rule of its policy', async () => {
    // Not where axe-core was, which has styles of its own.
    const quiet = await loggedIn(ALICE);
    const deployment = '#/objects/apps/v1/deployments/shop/web';
    for (const [place, title] of [
      ['#/kinds/core/v1/pods', 'Pods'],
      ['#/forks', 'Forks'],
      [deployment, 'web'],
      [`${deployment}?tab=yaml`, 'web'],
    ] as const) {
      await quiet.page.evaluate(`location.hash = ${JSON.stringify(place)}`);
      await quiet.page.getByRole('heading', { level: 2, name: title }).waitFor();
    }
    await quiet.page.locator('.cm-content').click();
    await quiet.page.keyboard.press('Control+End');
    await quiet.page.keyboard.type('#');
    await quiet.page.getByRole('button', { name: 'Review the change' }).click();
    await quiet.page.locator('.cm-mergeView').waitFor();
    expect(quiet.complaints).toEqual([]);
    await quiet.close();
  });
});
