/**
 * `npm run parity:requests -- [--steps 2000] [--seed N]`: random requests are told to this server and to a
 * kube-apiserver with its etcd, which have to answer alike: code, headers, Status and object, apart from
 * what is chosen at random. Prints each difference once; code 1 where there is one. With `--record` it asks
 * kube-apiserver alone for the histories of the test, and writes down what it answers. Needs Go.
 */
import { runArguments } from '../../../run-arguments.ts';
import { tellWalk } from '../walk-beside.ts';
import { digestsInCommon, record, RECORDED_HISTORIES } from './recorded-histories.ts';
import { walkBoth, walkOne } from './walk.ts';

const { values } = runArguments(import.meta.filename, {
  options: {
    steps: { type: 'string', default: '2000' },
    seed: { type: 'string' },
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
console.log(`seed ${String(seed)}`);
const count = tellWalk(`seed ${String(seed)}`, await walkBoth({ seed, steps }));
process.exit(count === 0 ? 0 : 1);
