/** The table in docs/parity.md: written by `npm run parity`, and what the rules may not fall below. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { percentOf, type Agreement, type Measuring } from './parity.ts';

export const SEED = 20261121;
export const CASES_PER_KIND = 1000;
export const PARITY_DOCUMENT = join(
  fileURLToPath(new URL('../../../', import.meta.url)),
  'docs/parity.md',
);

const ROW = /^\| ([^|]+?) +\| +(\d+) \| +(\d+) \| +(\d+) \| +([\d.]+) % \|/;

/** By kind, how many causes only one of the two gave when the table was written. */
export function recordedDifferences(): ReadonlyMap<string, number> {
  const rows = readFileSync(PARITY_DOCUMENT, 'utf8').split('\n');
  return new Map(
    rows.flatMap((row) => {
      const [, kind, , causes, agreed] = ROW.exec(row) ?? [];
      return kind === undefined ? [] : [[kind, Number(causes) - Number(agreed)] as const];
    }),
  );
}

export function documentOf(agreements: readonly Agreement[], { seed }: Measuring): string {
  const rows = agreements.map((agreement) => {
    const { kind, cases, causes, agreed, reordered } = agreement;
    const cells = [
      kind.padEnd(33),
      String(cases).padStart(5),
      String(causes).padStart(6),
      String(agreed).padStart(6),
      // Rounded down, so that the record is never more than what was measured.
      `${(Math.floor(percentOf(agreement) * 100) / 100).toFixed(2).padStart(6)} %`,
      String(reordered).padStart(9),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return `# Parity with kube-apiserver's rules

How far the validation of built-in kinds agrees with kube-apiserver 1.36's own code. Objects that are right are changed in one to
three places by chance (seed ${String(seed)}): a field is removed, emptied, filled in, written otherwise, an item is doubled. Both servers
judge the same create, update or write of a subresource, and every cause of the answer is compared: type, field, and the whole message.

- **cases**: objects that both could decode. Lists that are empty are left out of them, because our decoder does not tell them from none.
- **causes**: those that either of the two gave, each once; upstream repeats some of metadata's.
- **agreed**: those that both gave, to the letter.
- **reordered**: cases with the same causes in another order.

Where upstream walks a Go map its order is chance, so some cases are always reordered.

\`npm run parity\` measures again and writes this file; \`npm run parity -- --kind Pod --show 20\` prints what differs. A test judges
the first of the same cases and fails when a kind differs in more causes than are recorded here; with EVERWATCH_PARITY_CASES=1000 it
judges all of them.

| kind                              | cases | causes | agreed |   agreed | reordered |
| --------------------------------- | ----: | -----: | -----: | -------: | --------: |
${rows.join('\n')}
`;
}
