/**
 * Containers that may do on their node what its root may. Whether there may be any is said once
 * for the whole server (`--allow-privileged`), whereas the rules of kinds are constants. So the
 * rules refuse them, at the place among other errors where upstream does; where they are allowed,
 * those refusals are taken out again at the end.
 *
 * In Kubernetes: capabilities.Setup, and its callers in pkg/apis/core/validation.
 */
import { flatMapItems, remembered } from '../../../json/work-in-slices.ts';
import { type FieldError, type FieldErrors, forbiddenField } from '../../../field/field-errors.ts';
import type { Strategy, UpdateRules } from '../../strategy.ts';

const PRIVILEGED = 'disallowed by cluster policy';
const HOST_PROCESS = 'hostProcess containers are disallowed by cluster policy';
const BODIES = new Set([PRIVILEGED, HOST_PROCESS].map((why) => forbiddenField('', why).body));

/** `field` is where the container says that it is privileged. */
export function refusePrivileged(field: string): FieldError {
  return forbiddenField(field, PRIVILEGED);
}

/** `field` is the spec of a pod with containers that are processes of a host with Windows. */
export function refuseHostProcess(field: string): FieldError {
  return forbiddenField(field, HOST_PROCESS);
}

/** The same rules, where privileged containers are allowed. */
export function withPrivilegedAllowed(strategy: Strategy): Strategy {
  const subresources = [...strategy.subresources].map(
    ([name, rules]) => [name, { ...rules, ...allowedUpdate(rules) }] as const,
  );
  return {
    ...strategy,
    ...allowedUpdate(strategy),
    validate: (object, metadataErrors) =>
      withoutRefusals(remembered(() => strategy.validate(object, metadataErrors))),
    subresources: new Map(subresources),
  };
}

function allowedUpdate(rules: UpdateRules): Pick<UpdateRules, 'validateUpdate'> {
  return {
    validateUpdate: (object, old) =>
      withoutRefusals(remembered(() => rules.validateUpdate(object, old))),
  };
}

function withoutRefusals(errors: FieldErrors): FieldErrors {
  if (errors.length === 0) return errors;
  // To look a text up is to put it together from its parts, which takes long for many.
  return flatMapItems(errors, (error) => (BODIES.has(error.body) ? [] : [error]));
}
