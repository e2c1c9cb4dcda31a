/** A real Chromium, and pages in it that complain of everything that a user would not see. */
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from 'playwright-core';

const FLAGS = ['--no-sandbox', '--disable-background-networking', '--disable-gpu'];
/** Under load of other tests a page may wait long for its turn. */
const PATIENCE_MS = 120_000;

/** The label of the field for a token. */
export const TOKEN_FIELD = 'Bearer token';

export interface OpenedPage {
  readonly page: Page;
  /** What the console said that is an error, and what was thrown: refused by the policy, too. */
  readonly complaints: readonly string[];
  readonly close: () => Promise<void>;
}

/** @param executablePath of Chromium. */
export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: FLAGS, timeout: PATIENCE_MS });
}

/** A page of a user of its own: no storage and no connection is shared with another. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const viewport = { width: 1_280, height: 800 };
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Which address it was is told below.
    const isLoading = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isLoading) complaints.push(message.text());
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // A view that is left ends what it has asked for.
    if (why !== 'net::ERR_ABORTED') complaints.push(`${request.url()}: ${why}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  return { page, complaints, close: () => context.close() };
}

/** Until a text is to be seen; a locator that waits by itself fails where there are two of it, if only for a moment. */
export async function shows(
  within: Page | Locator,
  text: string | RegExp,
  options: { readonly exact?: boolean } = {},
): Promise<void> {
  await within.getByText(text, options).filter({ visible: true }).first().waitFor();
}

/** Fills the form of a page that is not logged in. @throws with what the page shows instead, and complained of. */
export async function logIn({ page, complaints }: OpenedPage, token: string): Promise<void> {
  try {
    await page.getByLabel(TOKEN_FIELD).fill(token);
  } catch (cause) {
    const shown = await page.locator('body').innerText();
    const why = `no form to log in, but "${shown}": ${complaints.join('; ')}`;
    throw new Error(why, { cause });
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}
