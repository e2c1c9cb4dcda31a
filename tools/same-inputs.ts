/**
 * Before each unit test file, by vitest: properties are tried with the same inputs in each run, so that a run says
 * something of the change that it is of, and not of its luck. EVERWATCH_SEED=<number> tries others.
 */
import fc from 'fast-check';

const SEED = 20_261_127;

fc.configureGlobal({ seed: Number(process.env['EVERWATCH_SEED'] ?? SEED) });
