/**
 * SelfSubjectRulesReview: what the client may do in a namespace, as `kubectl auth can-i --list`
 * asks. The answer repeats nothing of the question.
 *
 * In Kubernetes: registry/authorization/selfsubjectrulesreview.
 */
import { stringAt, type JsonObject } from '../../../api/json/json.ts';
import { badRequest } from '../../../api/meta/status.ts';
import type {
  PathRule,
  ResolvedRules,
  ResourceRule,
  RuleResolver,
} from '../../authorization/rule-resolver.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import { virtualAnswer, type PostAnswerer, type Posted } from '../../registry/paths/post.ts';
import { specOf } from '../../../api/kinds/rules/value-validation.ts';

/** Answers 201 with what `resolver` can list; 400 where the review names no namespace. */
export function reviewRules(resolver: RuleResolver): PostAnswerer {
  return (posted) => {
    const namespace = stringAt(specOf(posted.object), 'namespace');
    if (namespace === '') return statusAnswer(badRequest('no namespace on request'));
    const rules = resolver.rulesFor(posted.request.user, namespace);
    if (!(rules instanceof Promise)) return reviewed(posted, rules);
    return rules.then((settled) => reviewed(posted, settled));
  };
}

function reviewed({ served, object }: Posted, rules: ResolvedRules): Answer {
  const { kind, apiVersion } = object;
  const status: JsonObject = {
    resourceRules: rules.resourceRules.map(shownResourceRule),
    nonResourceRules: rules.pathRules.map(shownPathRule),
    incomplete: rules.isIncomplete,
    evaluationError: rules.problem,
  };
  return virtualAnswer(served, 201, { kind, apiVersion, metadata: {}, status });
}

function shownResourceRule(rule: ResourceRule): JsonObject {
  return {
    verbs: [...rule.verbs],
    apiGroups: [...rule.apiGroups],
    resources: [...rule.resources],
    resourceNames: [...rule.resourceNames],
  };
}

function shownPathRule({ verbs, nonResourceURLs }: PathRule): JsonObject {
  return { verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] };
}
