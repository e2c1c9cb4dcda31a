/** A browser, and a shop on the server of a file of tests: both are there from its first test to its last. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { AdminClient, Reachable } from '../support/admin-client.ts';
import { launch, openPage, type OpenedPage } from './browser.ts';
import { giveCluster } from './given-cluster.ts';

/** What the tests of a file share. */
export interface Shop {
  /** Of the server, as its administrator. */
  readonly api: () => AdminClient;
  /** A page of a user of its own, that is not logged in. @param path below the server; the page of everwatch unless said. */
  readonly open: (path?: string) => Promise<OpenedPage>;
}

/** @param chromium its program. */
export function shopForThisFile(
  chromium: string,
  server: () => Reachable & { readonly url: string },
): Shop {
  let browser: Browser | undefined;
  let client: AdminClient | undefined;
  beforeAll(async () => {
    browser = await launch(chromium);
    client = await giveCluster(server());
  });
  afterAll(async () => {
    client?.close();
    await browser?.close();
  });
  return {
    api() {
      if (client === undefined) throw new Error('there is no client');
      return client;
    },
    open(path = '/everwatch/') {
      if (browser === undefined) throw new Error('there is no browser');
      return openPage(browser, server().url + path);
    },
  };
}
