/** A delete that is to take an object which the server cannot read. */
import { invalidValue } from '../../../api/field/field-errors.ts';
import { type DeleteOptions, UNSAFE_OPTION } from '../../../api/options/options-delete.ts';
import { forbidden, internalError, invalid } from '../../../api/meta/status.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { Attributes, Decision } from '../../authorization/authorizer.ts';
import { statusAnswer } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { waitingStage } from '../stage.ts';
import type { HasOptions, Received } from '../write.ts';

type Asked = Received & HasOptions<DeleteOptions>;

const UNSAFE_VERB = 'unsafe-delete-ignore-read-errors';
/** Upstream has a store of their own in front of these, which knows no such delete: `resource.group`. */
const WITHOUT_UNSAFE: ReadonlySet<string> = new Set([
  'namespaces.',
  ...['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map(
    (resource) => `${resource}.rbac.authorization.k8s.io`,
  ),
]);
const NO_UNSAFE = `no unsafe deleter provided, can not honor ${UNSAFE_OPTION}`;

/**
 * A delete that means an object which cannot be read needs a right of its own, and then finds none: each object that
 * this server serves was read from its log, and a log with another one is not served.
 *
 * In Kubernetes: authorizeUnsafeDelete, and corruptObjectDeleter, registry/generic/registry.
 */
export const refuseUnsafe = waitingStage<Asked, Asked, Decision | undefined>('refuse unsafe', {
  find({ request, options, served }, { authorizer }) {
    if (options.ignoresReadErrors !== true) return undefined;
    request.annotate('apiserver.k8s.io/unsafe-delete-ignore-read-error', '');
    if (isWithoutUnsafe(served)) return undefined;
    return authorizer.authorize(unsafeDeletionBy(request));
  },
  take(write, decision) {
    const { facts } = write.served;
    if (write.options.ignoresReadErrors === true && isWithoutUnsafe(write.served)) {
      return statusAnswer(internalError(new Error(NO_UNSAFE)));
    }
    if (decision === undefined) return write;
    const { name } = write.request.info;
    if (decision.verdict === 'allow') {
      const why =
        'is exclusively used to delete corrupt object(s), try again by removing this option';
      return statusAnswer(invalid(facts, name, [invalidValue(UNSAFE_OPTION, true, why)]));
    }
    const why =
      decision.error === undefined
        ? `not permitted to do "${UNSAFE_VERB}", reason: ${decision.reason}`
        : `error while checking permission for "${UNSAFE_VERB}", ${decision.error.message}`;
    return statusAnswer(forbidden(facts, name, why));
  },
});

function isWithoutUnsafe({ facts }: ServedResource): boolean {
  return WITHOUT_UNSAFE.has(`${facts.resource}.${facts.group}`);
}

function unsafeDeletionBy({ user, info }: AuthenticatedRequest): Attributes {
  return { user, request: { ...info, verb: UNSAFE_VERB } };
}
