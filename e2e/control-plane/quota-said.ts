/** Asks `kubectl describe quota` until it says what is so. */
import { eventually } from '../support/eventually.ts';
import { type Kubectl, rowsOf } from '../support/kubectl.ts';

const PATIENCE = { everyMs: 100 };

/** @param rows all of them, in the order of their names, as `pods 2 5`: used, then hard. */
export async function quotaSaid(
  kubectl: Kubectl,
  namespace: string,
  name: string,
  rows: readonly string[],
): Promise<void> {
  let said = '';
  const wanted = (): string => `quota ${name} with ${rows.join(', ')}; last: ${said}`;
  await eventually(
    wanted,
    async () => {
      const table = rowsOf(await kubectl(`describe quota ${name} -n ${namespace}`));
      const dashes = table.findIndex(([first]) => first?.startsWith('---'));
      said = table
        .slice(dashes + 1)
        .map((row) => row.join(' '))
        .join('; ');
      return said === rows.join('; ') || undefined;
    },
    PATIENCE,
  );
}
