/**
 * `npm run parity:requests -- [--steps 2000] [--seed N] [--kinds others]`: random requests are told to this server and to a
 * kube-apiserver with its etcd, which have to answer alike: code, headers, Status and object, apart from
 * what is chosen at random. Prints each difference once; code 1 where there is one. With `--record` it asks
 * kube-apiserver alone for the histories of the test, and writes down what it answers. Needs Go.
 */
import { runArguments } from '../../../run-arguments.ts';
import { tellWalk } from '../walk-beside.ts';
import { digestsInCommon, record, RECORDED_HISTORIES } from './recorded-histories.ts';
import { OTHER_KINDS } from './other-kinds.ts';
import { walkBoth, walkOne } from './walk.ts';
import { WALKED_KINDS } from './walked-kinds.ts';

const { values } = runArguments(import.meta.filename, {
  options: {
    steps: { type: 'string', default: '2000' },
    seed: { type: 'string' },
    kinds: { type: 'string', default: 'usual' },
    record: { type: 'boolean', default: false },
  },
});
if (values.record) {
  const digests: string[][] = [];
  for (const history of RECORDED_HISTORIES) {
    const answers = await walkOne('theirs', history);
    digests.push(digestsInCommon(answers, await walkOne('theirs', history)));
  }
  record(digests);
  process.exit(0);
}
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const steps = Number(values.steps);
const kinds = values.kinds === 'others' ? OTHER_KINDS : WALKED_KINDS;
console.log(`seed ${String(seed)}`);
const count = tellWalk(`seed ${String(seed)}`, await walkBoth({ seed, steps, kinds }));
process.exit(count === 0 ? 0 : 1);
