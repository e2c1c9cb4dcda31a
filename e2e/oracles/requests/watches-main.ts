/**
 * `npm run parity:watches -- [--steps 2000] [--seed N]`: random watches are opened on this server and on a kube-apiserver
 * with its etcd while random requests change what they watch; both have to tell the same events in the same order. Prints each
 * watch that differs, with the first event that does; code 1 where there is one. With `--record` it asks kube-apiserver alone for
 * the history of the test, and writes down what it tells. Needs Go.
 */
import { runArguments } from '../../../run-arguments.ts';
import { recordWatches } from './recorded-watches.ts';
import { restsFor, type ToldWatch, walkWatches } from './walk-watches.ts';

const RESTS_MS = 5_000;

const { values } = runArguments(import.meta.filename, {
  options: {
    steps: { type: 'string', default: '2000' },
    seed: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
if (values.record) {
  await recordWatches();
  process.exit(0);
}
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const steps = Number(values.steps);
console.log(`seed ${String(seed)}`);

let rests = restsFor(RESTS_MS);
const { watches, answeredOtherwise } = await walkWatches(
  ['ours', 'theirs'],
  { seed, steps },
  (texts, nth) => {
    const lengths = texts.map(({ length }) => length).join(' ');
    if (firstDifference(texts) !== undefined && !rests(`${String(nth)} ${lengths}`)) return false;
    rests = restsFor(RESTS_MS);
    return true;
  },
);
for (const answered of answeredOtherwise) console.log(`answered otherwise: ${answered}`);
const different = watches.filter(({ texts }) => firstDifference(texts) !== undefined);
for (const one of different) tell(one);
const events = watches.reduce((sum, { texts }) => sum + (texts[1]?.length ?? 0) - 1, 0);
console.log(
  `${String(watches.length)} watches, ${String(events)} events, ${String(different.length)} watches differ`,
);
process.exit(different.length === 0 ? 0 : 1);

/** Which text is the first that is not the same; undefined: none. */
function firstDifference([ours = [], theirs = []]: ToldWatch['texts']): number | undefined {
  const longer = ours.length > theirs.length ? ours : theirs;
  const at = longer.findIndex((_, nth) => ours[nth] !== theirs[nth]);
  return at === -1 ? undefined : at;
}

function tell({ part, watch, texts }: ToldWatch): void {
  const at = firstDifference(texts) ?? 0;
  const [ours = 'nothing', theirs = 'nothing'] = texts.map((side) => side[at] ?? 'nothing');
  const place = `part ${String(part)}, event ${String(at)}`;
  console.log(`${place} ${JSON.stringify(watch)}\n  ours   ${ours}\n  theirs ${theirs}`);
}
