/** What is asked of the server in the form of an object that is never stored. */
export const REVIEWS: readonly string[] = [
  '{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{"managedFields":[{"manager":"a","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}]},"spec":{"resourceAttributes":{"verb":"get","resource":"pods","labelSelector":{"rawSelector":"a=b"},"fieldSelector":{"requirements":[{"key":"metadata.name","operator":"In","values":["a"]}]}}}}',
  '{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"user":"a","groups":["b"],"extra":{"a":["b"]},"nonResourceAttributes":{"path":"/a","verb":"get"}}}',
  '{"kind":"SelfSubjectRulesReview","apiVersion":"authorization.k8s.io/v1","spec":{"namespace":"default"}}',
  '{"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","spec":{"token":"a.b.c","audiences":["a"]}}',
];
