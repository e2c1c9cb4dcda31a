/** Inputs that several targets begin with. They are ours, small, and have a bit of everything. */
import type { KubeObject } from '../../api/meta/object-meta.ts';

/** A pod with most of what readers of objects look at. */
export const POD: KubeObject = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name: 'web',
    namespace: 'default',
    uid: 'b0f9',
    creationTimestamp: '2026-01-02T03:04:05Z',
    labels: { app: 'web', tier: 'front' },
    annotations: { 'example.com/note': 'ä\u{1f600}' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1' }],
    finalizers: ['example.com/wait'],
  },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'web:1',
        ports: [{ containerPort: 80, protocol: 'TCP' }],
        env: [{ name: 'A', value: 'b' }],
        resources: { limits: { cpu: '500m', memory: '1Gi' } },
        livenessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 10 },
      },
    ],
    tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 30 }],
    volumes: [{ name: 'v', emptyDir: {} }],
    terminationGracePeriodSeconds: 30,
  },
};

/** A workload with amounts that are numbers or percentages. */
export const DEPLOYMENT: KubeObject = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name: 'web', generation: 3 },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
    template: { metadata: { labels: { app: 'web' } }, spec: POD['spec'] ?? null },
  },
};

/** Names that mean something to JavaScript, and those of most objects. */
export const KEYS: readonly string[] = [
  '"__proto__":', '"constructor":', '"prototype":', '"toString":', '"hasOwnProperty":', '"length":',
  '"kind":', '"apiVersion":', '"metadata":', '"name":', '"spec":', '"items":', '"":',
]; // prettier-ignore

/** Bodies in JSON: whole, indented, with repeated keys, and hostile ones. */
export const JSON_BODIES: readonly string[] = [
  JSON.stringify(POD),
  JSON.stringify(DEPLOYMENT),
  JSON.stringify(POD, undefined, 2),
  '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","name":"b"},"spec":{"containers":null}}',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  '[1,-0,1.5e3,"\\u00e4\\ud83d\\ude00\\n\\"",true,false,null,[],{}]',
  '{"a":[[[[{"b":{"c":{}}}]]]],"n":9007199254740991}',
  '"text"',
];

/** Bodies in YAML: block and flow style, anchors, and hostile ones. */
export const YAML_BODIES: readonly string[] = [
  'kind: Pod\napiVersion: v1\nmetadata:\n  name: web\n  labels: {app: web}\nspec:\n  containers:\n' +
    '  - name: main\n    image: \'web:1\'\n    command: ["a", b, c]\n',
  'a: &anchor {x: 1, y: [2, 3]}\nb: *anchor\nc:\n  <<: *anchor\n  z: ~\n',
  'text: |\n  line one\n  line two\nfolded: >-\n  some\n  words\nbinary: !!binary aGVsbG8=\n',
  '? complex\n: value\n1: number\ntrue: bool\nnull: nothing\n2026-01-02: date\n0x1f: hex\n.inf: inf\n',
  '%YAML 1.1\n---\n- 1_000\n- 0o17\n- 1:30\n- yes\n- ""\n...\n---\nsecond: document\n',
  '{"json": [1, 2.5, "x\\u00e4"], "__proto__": {"a": 1}, "constructor": 0}',
];

/** One object of most kinds that have rules of their own, with a bit of everything in it. */
export const OBJECTS: readonly string[] = [
  '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"b","ports":[{"containerPort":80,"hostPort":80}],"env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],"volumeMounts":[{"name":"v","mountPath":"/m"}],"securityContext":{"runAsUser":0,"capabilities":{"add":["ALL"]}},"livenessProbe":{"exec":{"command":["a"]}},"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2","memory":"1Gi"},"claims":[{"name":"c"}]}}],"resourceClaims":[{"name":"c","resourceClaimName":"c"}],"resources":{"limits":{"cpu":"3"}},"initContainers":[{"name":"i","image":"b","restartPolicy":"Always"}],"volumes":[{"name":"v","projected":{"sources":[{"secret":{"name":"s","items":[{"key":"k","path":"p"}]}}]}}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]}]}}},"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"}],"securityContext":{"sysctls":[{"name":"kernel.shm_rmid_forced","value":"1"}]},"hostAliases":[{"ip":"127.0.0.1","hostnames":["a"]}],"dnsConfig":{"nameservers":["1.1.1.1"]}}}',
  '{"kind":"Service","apiVersion":"v1","metadata":{"name":"a"},"spec":{"type":"LoadBalancer","selector":{"a":"b"},"ports":[{"name":"p","port":80,"targetPort":"http","nodePort":30000}],"clusterIPs":["10.0.0.1"],"ipFamilies":["IPv4"],"loadBalancerSourceRanges":["10.0.0.0/8"],"sessionAffinity":"ClientIP","externalIPs":["1.2.3.4"]}}',
  '{"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{"name":"a"},"spec":{"serviceName":"a","replicas":1,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"b"}]}},"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}],"updateStrategy":{"rollingUpdate":{"partition":1}}}}',
  '{"kind":"CronJob","apiVersion":"batch/v1","metadata":{"name":"a"},"spec":{"schedule":"*/5 * * * *","timeZone":"Etc/UTC","jobTemplate":{"spec":{"completions":1,"podFailurePolicy":{"rules":[{"action":"Ignore","onExitCodes":{"operator":"In","values":[1]}}]},"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]}}}}}}',
  '{"kind":"NetworkPolicy","apiVersion":"networking.k8s.io/v1","metadata":{"name":"a"},"spec":{"podSelector":{"matchExpressions":[{"key":"a","operator":"Exists"}]},"ingress":[{"from":[{"ipBlock":{"cidr":"10.0.0.0/8","except":["10.1.0.0/16"]}}],"ports":[{"port":80,"endPort":90}]}],"policyTypes":["Ingress"]}}',
  '{"kind":"Ingress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"a"},"spec":{"tls":[{"hosts":["a.b"],"secretName":"s"}],"rules":[{"host":"*.a.b","http":{"paths":[{"path":"/x","pathType":"Prefix","backend":{"service":{"name":"s","port":{"number":80}}}}]}}]}}',
  '{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"a"},"spec":{"minReplicas":1,"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"a","apiVersion":"apps/v1"},"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}],"behavior":{"scaleUp":{"policies":[{"type":"Pods","value":1,"periodSeconds":15}]}}}}',
  '{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1","metadata":{"name":"a","annotations":{"autoscaling.alpha.kubernetes.io/metrics":"[{\\"type\\":\\"Pods\\"}]"}},"spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"a"},"targetCPUUtilizationPercentage":50}}',
  '{"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"a"},"rules":[{"apiGroups":[""],"resources":["pods","pods/*"],"verbs":["*"],"resourceNames":["x"]},{"nonResourceURLs":["/a*"],"verbs":["get"]}],"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}}',
  '{"kind":"RoleBinding","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"a","namespace":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},"subjects":[{"kind":"ServiceAccount","name":"s","namespace":"n"},{"kind":"User","name":"u","apiGroup":"rbac.authorization.k8s.io"}]}',
  '{"kind":"ValidatingAdmissionPolicy","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"a"},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":["*"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]},"variables":[{"name":"v","expression":"object.metadata.name"}],"validations":[{"expression":"variables.v == \'a\'","messageExpression":"\'no \' + variables.v","reason":"Invalid"}],"matchConditions":[{"name":"c","expression":"true"}],"auditAnnotations":[{"key":"k","valueExpression":"\'x\'"}]}}',
  '{"kind":"MutatingWebhookConfiguration","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"a"},"webhooks":[{"name":"a.b.c","admissionReviewVersions":["v1"],"sideEffects":"None","clientConfig":{"url":"https://a.b/c"},"rules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*/*"],"scope":"*"}],"namespaceSelector":{"matchLabels":{"a":"b"}},"timeoutSeconds":5,"matchConditions":[{"name":"x","expression":"request.operation == \'CREATE\'"}]}]}',
  '{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"things","kind":"Thing","shortNames":["th"]},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"n":{"type":"integer","minimum":1,"default":2}},"x-kubernetes-validations":[{"rule":"self.n > 0"}]}}}},"additionalPrinterColumns":[{"name":"N","type":"integer","jsonPath":".spec.n"}],"subresources":{"status":{},"scale":{"specReplicasPath":".spec.n","statusReplicasPath":".status.n"}}}]}}',
  '{"kind":"PersistentVolume","apiVersion":"v1","metadata":{"name":"a"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"},"nodeAffinity":{"required":{"nodeSelectorTerms":[]}}}}',
  '{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"a","namespace":"b"},"spec":{"accessModes":["ReadWriteMany"],"resources":{"requests":{"storage":"1Gi"}},"dataSourceRef":{"apiGroup":"g","kind":"K","name":"n"}}}',
  '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"},"type":"kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":"e30="},"stringData":{"a":"b"}}',
  '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"},"binaryData":{"b":"AAA="},"immutable":true}',
  '{"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{"name":"a","namespace":"b"},"eventTime":"2026-01-02T03:04:05.000006Z","reportingController":"a.b/c","reportingInstance":"i","action":"x","reason":"y","type":"Normal","regarding":{"kind":"Pod","namespace":"b"}}',
  '{"kind":"Event","apiVersion":"v1","metadata":{"name":"a","namespace":"b"},"involvedObject":{"kind":"Pod","namespace":"b"},"count":1,"series":{"count":2,"lastObservedTime":"2026-01-02T03:04:05.000006Z"}}',
  '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"a"},"spec":{"holderIdentity":"x","leaseDurationSeconds":10,"renewTime":"2026-01-02T03:04:05.000006Z"}}',
  '{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1","metadata":{"name":"a"},"addressType":"IPv4","endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":true},"hints":{"forZones":[{"name":"z"}]}}],"ports":[{"name":"","port":80,"protocol":"TCP"}]}',
  '{"kind":"FlowSchema","apiVersion":"flowcontrol.apiserver.k8s.io/v1","metadata":{"name":"a"},"spec":{"priorityLevelConfiguration":{"name":"p"},"matchingPrecedence":5,"distinguisherMethod":{"type":"ByUser"},"rules":[{"subjects":[{"kind":"Group","group":{"name":"g"}}],"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"namespaces":["*"]}]}]}}',
  '{"kind":"ResourceQuota","apiVersion":"v1","metadata":{"name":"a","namespace":"b"},"spec":{"hard":{"pods":"5","requests.cpu":"1","count/things.example.com":"2"},"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In","values":["x"]}]}}}',
  '{"kind":"LimitRange","apiVersion":"v1","metadata":{"name":"a","namespace":"b"},"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},"min":{"cpu":"100m"},"default":{"cpu":"1"},"maxLimitRequestRatio":{"cpu":"3"}}]}}',
  '{"kind":"CertificateSigningRequest","apiVersion":"certificates.k8s.io/v1","metadata":{"name":"a"},"spec":{"request":"LS0t","signerName":"a.b/c","usages":["client auth"],"expirationSeconds":600}}',
  '{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"a"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c","selectors":[{"cel":{"expression":"device.driver == \'x\'"}}]}}],"constraints":[{"matchAttribute":"a.b/c"}]}}}',
  '{"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{"name":"a"},"spec":{"driver":"d.x","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[{"name":"d","attributes":{"a":{"int":1}},"capacity":{"m":{"value":"1Gi"}}}]}}',
  '{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"a"},"spec":{"completionMode":"Indexed","completions":3,"backoffLimitPerIndex":1,"successPolicy":{"rules":[{"succeededIndexes":"0-2,1"}]},"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]}}}}',
  '{"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"a"},"spec":{"maxUnavailable":"50%","selector":{"matchLabels":{"a":"b"}}}}',
  '{"kind":"Node","apiVersion":"v1","metadata":{"name":"a"},"spec":{"podCIDRs":["10.0.0.0/24"],"taints":[{"key":"a","effect":"NoSchedule"}]}}',
];

/** What is asked of the server in the form of an object that is never stored. */
export const REVIEWS: readonly string[] = [
  '{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{"managedFields":[{"manager":"a","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}]},"spec":{"resourceAttributes":{"verb":"get","resource":"pods","labelSelector":{"rawSelector":"a=b"},"fieldSelector":{"requirements":[{"key":"metadata.name","operator":"In","values":["a"]}]}}}}',
  '{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"user":"a","groups":["b"],"extra":{"a":["b"]},"nonResourceAttributes":{"path":"/a","verb":"get"}}}',
  '{"kind":"SelfSubjectRulesReview","apiVersion":"authorization.k8s.io/v1","spec":{"namespace":"default"}}',
  '{"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","spec":{"token":"a.b.c","audiences":["a"]}}',
];
