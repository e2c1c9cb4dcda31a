/**
 * What every expression in Kubernetes may use, whoever it is for. Those who have expressions
 * extend it by their variables.
 *
 * In Kubernetes: the base environment, apiserver/pkg/cel/environment/base.go, as 1.36 has it for
 * expressions that are new.
 */
import { Environment } from './environment.ts';
import { OPTIONALS } from './library/optionals.ts';
import { OPTIONAL_MACROS, TWO_VARIABLE_MACROS } from './macros.ts';

/** Units that the evaluation of one expression may cost. */
export const COST_PER_EXPRESSION_MAX = 1_000_000;

/** Units that all the rules together may cost for one object. */
export const COST_PER_OBJECT_MAX = 10_000_000;

export const KUBERNETES = Environment.standard().extend({
  functions: OPTIONALS,
  macros: [...OPTIONAL_MACROS, ...TWO_VARIABLE_MACROS],
  hasOptionals: true,
  checksLiterals: true,
});
