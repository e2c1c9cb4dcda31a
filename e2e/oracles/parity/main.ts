/**
 * `npm run parity`: measures how far the rules of every built-in kind agree with kube-apiserver's
 * and writes the table in docs/parity.md. `npm run parity -- --kind Pod --show 20` writes nothing
 * and prints what differs most.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildOracle } from '../oracle-program.ts';
import { measure, percentOf, type Agreement, type Difference } from './parity.ts';
import { parityKinds } from './parity-kinds.ts';
import { CASES_PER_KIND, PARITY_DOCUMENT, SEED, documentOf } from './parity-table.ts';
import { runArguments } from '../../../run-arguments.ts';

const { values } = runArguments(import.meta.filename, {
  options: {
    kind: { type: 'string', multiple: true },
    show: { type: 'string', default: '0' },
    cases: { type: 'string', default: String(CASES_PER_KIND) },
    seed: { type: 'string', default: String(SEED) },
  },
});

const folder = join(dirname(fileURLToPath(import.meta.url)), '../strategies');
const oracle = await buildOracle(folder, 'program');
if (oracle === undefined) process.exit(1);
const measuring = { seed: Number(values.seed), casesPerKind: Number(values.cases) };
const kinds = parityKinds.filter(({ name }) => values.kind?.includes(name) ?? true);
const agreements: Agreement[] = [];
for (const kind of kinds) {
  const agreement = measure(oracle, kind, measuring);
  agreements.push(agreement);
  const { causes, agreed, cases, reordered } = agreement;
  console.log(
    `${kind.name}: ${percentOf(agreement).toFixed(2)} % of ${String(causes)} causes, ` +
      `${String(causes - agreed)} differ, ${String(reordered)} of ${String(cases)} cases in another order`,
  );
  show(agreement.differences, Number(values.show));
}
if (values.kind === undefined) writeFileSync(PARITY_DOCUMENT, documentOf(agreements, measuring));

/** The causes that only one side has, those that came most often first. */
function show(differences: readonly Difference[], max: number): void {
  const counts = new Map<string, { count: number; example: Difference }>();
  const note = (what: string, example: Difference): void => {
    const known = counts.get(what);
    counts.set(what, { count: (known?.count ?? 0) + 1, example: known?.example ?? example });
  };
  for (const difference of differences) {
    const { ours, theirs } = difference;
    for (const cause of only(theirs, ours)) note(`- ${generalized(cause)}`, difference);
    for (const cause of only(ours, theirs)) note(`+ ${generalized(cause)}`, difference);
    if (only(theirs, ours).length + only(ours, theirs).length === 0) {
      note(
        `~ ${theirs.map(generalized).join(' | ')} not ${ours.map(generalized).join(' | ')}`,
        difference,
      );
    }
  }
  const sorted = [...counts].sort(([, a], [, b]) => b.count - a.count).slice(0, max);
  for (const [what, { count, example }] of sorted) {
    console.log(`${String(count).padStart(5)} ${what.slice(0, 700)}`);
    if (process.env['EVERWATCH_PARITY_EXAMPLES'] === '1') {
      console.log(JSON.stringify(example.write).slice(0, 3000));
    }
  }
}

function only(these: readonly string[], those: readonly string[]): readonly string[] {
  const left = [...those];
  return these.filter((cause) => {
    const at = left.indexOf(cause);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function generalized(cause: string): string {
  return cause
    .replaceAll(/\[\d+\]/g, '[i]')
    .replaceAll(/spec\.template\.spec\./g, '…')
    .replaceAll(/"(?:[^"\\]|\\.){0,80}"/g, '"…"')
    .replaceAll(/value: -?\d+/g, 'value: N');
}
