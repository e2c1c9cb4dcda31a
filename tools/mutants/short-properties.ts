/** Property tests as mutants run them: a mutant that was noticed need not be shown by the smallest input. */
import fc from 'fast-check';

fc.configureGlobal({ endOnFailure: true });
