/**
 * Forks: control planes on top of the past of this one, served under `/forks/NAME`. The object is
 * all there is to one: with it the fork is made, and with it deleted.
 *
 * Where a fork begins is found out once, when it is made, by `create.ts`; the rules here only keep
 * it from changing.
 */
import { nameIsDnsLabel } from '../../../meta/names.ts';
import { defineKind } from '../../kind.ts';
import { carryOver } from '../../strategy-of.ts';
import { immutable } from '../../rules/value-validation.ts';

export const forks = defineKind('dev.everwatch/v1alpha1/forks', {
  rules: {
    // It stands in the path of every request to the fork.
    validateName: nameIsDnsLabel,
    prepareForCreate(fork) {
      fork.status = { phase: 'Ready' };
    },
    prepareForUpdate(fork, old) {
      // A manifest that is applied again says no revision: that was filled in.
      fork.spec = { ...old.spec, ...fork.spec };
      carryOver(fork, old, 'status');
    },
    validateChange: (fork, old) => immutable('spec', fork.spec, old.spec),
    markDeleting(fork) {
      fork.status = { phase: 'Terminating' };
    },
  },
});
