/** What axe-core finds wrong with what a page shows. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly {
      readonly target: readonly unknown[];
      readonly failureSummary?: string;
    }[];
  }[];
}

/** By WCAG 2.2 A and AA and the best practices; one line for each element. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(SOURCE);
  // The source that was run above gives it to the window.
  const results = await page.evaluate<AxeResults>('axe.run()');
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}
