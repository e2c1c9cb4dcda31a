/**
 * The page in Chromium when a token runs out under it: what its user has written is there when the user is back,
 * and no other user sees anything of it.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { textAt } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { accessibilityProblems } from './accessibility.ts';
import { logIn, type OpenedPage, shows, TOKEN_FIELD } from './browser.ts';
import { ALICE, withUsers } from './given-cluster.ts';
import { shopForThisFile } from './shop-for-this-file.ts';

const RUN_OUT = 'The server does not take this token any more.';
const MAP = '/api/v1/namespaces/shop/configmaps/written';

await describeWith('chromium', 'a token that runs out', (chromium) => {
  const server = serverForThisFile({ args: [...withUsers(), '--authorization-mode=RBAC'] });
  const { api, open } = shopForThisFile(chromium, server);

  beforeAll(async () => {
    await api().post('/api/v1/namespaces/shop/configmaps', {
      metadata: { name: 'written' },
      data: { word: 'first' },
    });
  });

  /** A token of a service account that may do everything in its namespace, and what ends it. */
  async function givenAuthor(name: string) {
    const accounts = '/api/v1/namespaces/shop/serviceaccounts';
    await api().post('/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings', {
      metadata: { name },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'cluster-admin',
      },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'shop' }],
    });
    const newToken = async (): Promise<string> => {
      await api().post(accounts, { metadata: { name } });
      const made = await api().post(`${accounts}/${name}/token`, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 600 },
      });
      return textAt(made.body, 'status', 'token');
    };
    const runOut = async (page: Page): Promise<void> => {
      await api().delete(`${accounts}/${name}`);
      await shows(page.getByRole('dialog', { name: 'Everwatch' }), RUN_OUT);
    };
    return { newToken, runOut };
  }

  async function opened(token: string, fragment: string): Promise<OpenedPage> {
    const one = await open();
    await logIn(one, token);
    await one.page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
    return one;
  }

  async function logInAgain(page: Page, token: string): Promise<void> {
    await page.getByLabel(TOKEN_FIELD).fill(token);
    await page.keyboard.press('Enter');
    await page.getByLabel(TOKEN_FIELD).waitFor({ state: 'detached' });
  }

  const editor = (page: Page) => page.locator('.cm-content');

  /** Whether a click in the middle of the window, or a tab out of the field, could reach what is behind. */
  async function isCovered(page: Page): Promise<unknown> {
    return page.evaluate(
      "document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('dialog')?.contains(document.activeElement)",
    );
  }

  it('leaves an edit of YAML where it is, which its user then writes', async () => {
    const author = await givenAuthor('author');
    const { page, close } = await opened(
      await author.newToken(),
      '#/objects/core/v1/configmaps/shop/written?tab=yaml',
    );
    await editor(page).getByText('first').click();
    await page.keyboard.press('End');
    await page.keyboard.insertText(' and second');
    await author.runOut(page);
    expect(await isCovered(page)).toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await isCovered(page)).toBe(true);
    await page.getByLabel(TOKEN_FIELD).fill('wrong');
    await page.keyboard.press('Enter');
    await shows(page, 'The server does not know this token.');
    await logInAgain(page, await author.newToken());
    await shows(editor(page), 'first and second');
    await page.getByRole('button', { name: 'Review the change' }).click();
    await page.getByRole('button', { name: 'Write it' }).click();
    await shows(page, 'It is written.');
    const { body } = await api().get(MAP);
    expect(textAt(body, 'data', 'word')).toBe('first and second');
    // The table behind it is live again, over a socket of the new token.
    await api().delete(MAP);
    await shows(page, 'deleted it at version');
    await close();
  });

  it('leaves a dialog open, of which another user sees nothing', async () => {
    const author = await givenAuthor('another');
    const { page, close } = await opened(
      await author.newToken(),
      '#/kinds/core/v1/configmaps?namespace=shop',
    );
    await page.getByRole('button', { name: 'New…' }).click();
    await editor(page).getByText('name:').first().click();
    await page.keyboard.press('End');
    await page.keyboard.insertText('half-written');
    await author.runOut(page);
    await logInAgain(page, await author.newToken());
    await shows(page.getByRole('dialog', { name: 'New ConfigMap' }), 'half-written');
    await author.runOut(page);
    await logInAgain(page, ALICE);
    await page.getByRole('heading', { name: 'ConfigMaps' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.content()).not.toContain('half-written');
    await close();
  });
});
