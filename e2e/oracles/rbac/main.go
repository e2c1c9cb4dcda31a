// Command rbac answers, one line of JSON for each line of JSON it reads, what kube-apiserver's RBAC
// says: who may do what under a policy, which rules somebody has, whether he would give away more
// than he holds, what is left of a role when it is reconciled, and what the policy is that a new
// cluster begins with.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-helpers/auth/rbac/reconciliation"
	"k8s.io/kubernetes/pkg/auth/nodeidentifier"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/node"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

// policy resolves roles in the order in which they were given, and words errors as a lister does.
type policy struct {
	Roles               []*rbacv1.Role               `json:"roles"`
	ClusterRoles        []*rbacv1.ClusterRole        `json:"clusterRoles"`
	RoleBindings        []*rbacv1.RoleBinding        `json:"roleBindings"`
	ClusterRoleBindings []*rbacv1.ClusterRoleBinding `json:"clusterRoleBindings"`
}

func (p *policy) GetRole(_ context.Context, namespace, name string) (*rbacv1.Role, error) {
	for _, role := range p.Roles {
		if role.Namespace == namespace && role.Name == name {
			return role, nil
		}
	}
	return nil, errors.NewNotFound(rbacv1.Resource("role"), name)
}

func (p *policy) GetClusterRole(_ context.Context, name string) (*rbacv1.ClusterRole, error) {
	for _, role := range p.ClusterRoles {
		if role.Name == name {
			return role, nil
		}
	}
	return nil, errors.NewNotFound(rbacv1.Resource("clusterrole"), name)
}

func (p *policy) ListRoleBindings(_ context.Context, namespace string) ([]*rbacv1.RoleBinding, error) {
	found := []*rbacv1.RoleBinding{}
	for _, binding := range p.RoleBindings {
		if binding.Namespace == namespace {
			found = append(found, binding)
		}
	}
	return found, nil
}

func (p *policy) ListClusterRoleBindings(context.Context) ([]*rbacv1.ClusterRoleBinding, error) {
	return p.ClusterRoleBindings, nil
}

type who struct {
	Name   string   `json:"name"`
	Groups []string `json:"groups"`
}

type attributes struct {
	Verb        string `json:"verb"`
	Namespace   string `json:"namespace"`
	APIGroup    string `json:"apiGroup"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource"`
	Name        string `json:"name"`
	Path        string `json:"path"`
	IsResource  bool   `json:"isResource"`

	FieldSelector string `json:"fieldSelector"`
}

type question struct {
	Ask       string              `json:"ask"`
	Policy    *policy             `json:"policy"`
	User      who                 `json:"user"`
	Request   attributes          `json:"request"`
	Namespace string              `json:"namespace"`
	Rules     []rbacv1.PolicyRule `json:"rules"`
	Role      *rbacv1.ClusterRole `json:"role"`
	Expected  *rbacv1.ClusterRole `json:"expected"`
	Graph     *graphed            `json:"graph"`
	Gate      string              `json:"gate"`

	Binding         *rbacv1.ClusterRoleBinding `json:"binding"`
	ExpectedBinding *rbacv1.ClusterRoleBinding `json:"expectedBinding"`
}

type answer struct {
	Error       string                               `json:"error,omitempty"`
	Allowed     bool                                 `json:"allowed"`
	Reason      string                               `json:"reason,omitempty"`
	Rules       []rbacv1.PolicyRule                  `json:"rules,omitempty"`
	Operation   string                               `json:"operation,omitempty"`
	Protected   bool                                 `json:"protected,omitempty"`
	Role        *rbacv1.ClusterRole                  `json:"role,omitempty"`
	Binding     *rbacv1.ClusterRoleBinding           `json:"binding,omitempty"`
	Roles       []any                                `json:"roles,omitempty"`
	ToAggregate map[string]string                    `json:"toAggregate,omitempty"`
	ToSplit     map[string]rbacv1.ClusterRoleBinding `json:"toSplit,omitempty"`
}

// current is the policy of all questions until another one is given.
var current = &policy{}

func main() {
	decoder := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for decoder.More() {
		var asked question
		if err := decoder.Decode(&asked); err != nil {
			panic(err)
		}
		line, err := json.Marshal(answerTo(asked))
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(out, string(line))
	}
}

func answerTo(asked question) answer {
	if asked.Policy != nil {
		current = asked.Policy
	}
	somebody := &user.DefaultInfo{Name: asked.User.Name, Groups: asked.User.Groups}
	switch asked.Ask {
	case "policy":
		return answer{}
	case "decide":
		return decide(somebody, asked.Request)
	case "rules":
		resolver := validation.NewDefaultRuleResolver(current, current, current, current)
		rules, err := resolver.RulesFor(context.Background(), somebody, asked.Namespace)
		return answer{Rules: rules, Error: textOf(err)}
	case "escalation":
		resolver := validation.NewDefaultRuleResolver(current, current, current, current)
		ctx := request.WithUser(request.WithNamespace(context.Background(), asked.Namespace), somebody)
		return answer{Error: textOf(validation.ConfirmNoEscalation(ctx, resolver, asked.Rules))}
	case "reconcile":
		return reconcile(asked)
	case "reconcileBinding":
		return reconcileBinding(asked)
	case "graph":
		nodes = asked.Graph.authorizer()
		return answer{}
	case "node":
		decision, reason, err := nodes.Authorize(context.Background(), recordOf(somebody, asked.Request))
		return answer{Allowed: decision == authorizer.DecisionAllow, Reason: reason, Error: textOf(err)}
	case "bootstrap":
		return bootstrapWith(asked.Gate)
	}
	return answer{Error: "unknown question"}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func decide(somebody user.Info, asked attributes) answer {
	authorizes := rbac.New(current, current, current, current)
	decision, reason, err := authorizes.Authorize(context.Background(), recordOf(somebody, asked))
	return answer{Allowed: decision == authorizer.DecisionAllow, Reason: reason, Error: textOf(err)}
}

func recordOf(somebody user.Info, asked attributes) authorizer.AttributesRecord {
	record := authorizer.AttributesRecord{
		User:            somebody,
		Verb:            asked.Verb,
		Namespace:       asked.Namespace,
		APIGroup:        asked.APIGroup,
		Resource:        asked.Resource,
		Subresource:     asked.Subresource,
		Name:            asked.Name,
		Path:            asked.Path,
		ResourceRequest: asked.IsResource,
	}
	if selector, err := fields.ParseSelector(asked.FieldSelector); err == nil {
		record.FieldSelectorRequirements = selector.Requirements()
	}
	return record
}

// graphed is what nodes have to do with.
type graphed struct {
	Pods        []*corev1.Pod                 `json:"pods"`
	Volumes     []*corev1.PersistentVolume    `json:"volumes"`
	Attachments []*storagev1.VolumeAttachment `json:"attachments"`
	Slices      []*resourcev1.ResourceSlice   `json:"slices"`
}

var nodes *node.NodeAuthorizer

func (g *graphed) authorizer() *node.NodeAuthorizer {
	graph := node.NewGraph()
	for _, pod := range g.Pods {
		if pod.Spec.NodeName != "" {
			graph.AddPod(pod)
		}
	}
	for _, volume := range g.Volumes {
		graph.AddPV(volume)
	}
	for _, attachment := range g.Attachments {
		graph.AddVolumeAttachment(attachment.Name, attachment.Spec.NodeName)
	}
	for _, slice := range g.Slices {
		name := ""
		if slice.Spec.NodeName != nil {
			name = *slice.Spec.NodeName
		}
		graph.AddResourceSlice(slice.Name, name)
	}
	return node.NewAuthorizer(graph, nodeidentifier.NewDefaultNodeIdentifier(), bootstrappolicy.NodeRules())
}

// oneRole is a client that has at most one role.
type oneRole struct {
	role *rbacv1.ClusterRole
}

func (o *oneRole) Get(_, name string) (reconciliation.RuleOwner, error) {
	if o.role == nil {
		return nil, errors.NewNotFound(rbacv1.Resource("clusterroles"), name)
	}
	return reconciliation.ClusterRoleRuleOwner{ClusterRole: o.role}, nil
}

func (o *oneRole) Create(role reconciliation.RuleOwner) (reconciliation.RuleOwner, error) {
	return role, nil
}

func (o *oneRole) Update(role reconciliation.RuleOwner) (reconciliation.RuleOwner, error) {
	return role, nil
}

func reconcile(asked question) answer {
	options := reconciliation.ReconcileRoleOptions{
		Role:    reconciliation.ClusterRoleRuleOwner{ClusterRole: asked.Expected},
		Client:  &oneRole{role: asked.Role},
		Confirm: true,
	}
	result, err := options.Run()
	if err != nil {
		return answer{Error: err.Error()}
	}
	role := result.Role.(reconciliation.ClusterRoleRuleOwner).ClusterRole
	return answer{Operation: string(result.Operation), Protected: result.Protected, Role: role}
}

// oneBinding is a client that has at most one binding.
type oneBinding struct {
	binding *rbacv1.ClusterRoleBinding
}

func (o *oneBinding) Get(_, name string) (reconciliation.RoleBinding, error) {
	return reconciliation.ClusterRoleBindingAdapter{ClusterRoleBinding: o.binding}, nil
}

func (o *oneBinding) Delete(_, name string, _ types.UID) error {
	return nil
}

func (o *oneBinding) Create(binding reconciliation.RoleBinding) (reconciliation.RoleBinding, error) {
	return binding, nil
}

func (o *oneBinding) Update(binding reconciliation.RoleBinding) (reconciliation.RoleBinding, error) {
	return binding, nil
}

func reconcileBinding(asked question) answer {
	options := reconciliation.ReconcileRoleBindingOptions{
		RoleBinding: reconciliation.ClusterRoleBindingAdapter{ClusterRoleBinding: asked.ExpectedBinding},
		Client:      &oneBinding{binding: asked.Binding},
		Confirm:     true,
	}
	result, err := options.Run()
	if err != nil {
		return answer{Error: err.Error()}
	}
	binding := result.RoleBinding.(reconciliation.ClusterRoleBindingAdapter).ClusterRoleBinding
	return answer{Operation: string(result.Operation), Protected: result.Protected, Binding: binding}
}

// bootstrapWith gives them as they are where feature gates are on that are off by default: `A`, `A,B`.
func bootstrapWith(names string) answer {
	if names == "" {
		return bootstrap()
	}
	gates := utilfeature.DefaultMutableFeatureGate
	on, off := map[string]bool{}, map[string]bool{}
	for _, name := range strings.Split(names, ",") {
		on[name], off[name] = true, false
	}
	if err := gates.SetFromMap(on); err != nil {
		return answer{Error: err.Error()}
	}
	all := bootstrap()
	if err := gates.SetFromMap(off); err != nil {
		return answer{Error: err.Error()}
	}
	return all
}

// bootstrap gives all objects in the order in which kube-apiserver makes them.
func bootstrap() answer {
	all := []any{}
	for _, role := range append(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()...) {
		role.Kind, role.APIVersion = "ClusterRole", rbacv1.SchemeGroupVersion.String()
		all = append(all, role)
	}
	bindings := append(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()...)
	for _, binding := range bindings {
		binding.Kind, binding.APIVersion = "ClusterRoleBinding", rbacv1.SchemeGroupVersion.String()
		all = append(all, binding)
	}
	roles := bootstrappolicy.NamespaceRoles()
	for _, namespace := range sortedKeys(roles) {
		for _, role := range roles[namespace] {
			role.Kind, role.APIVersion = "Role", rbacv1.SchemeGroupVersion.String()
			all = append(all, role)
		}
	}
	inNamespaces := bootstrappolicy.NamespaceRoleBindings()
	for _, namespace := range sortedKeys(inNamespaces) {
		for _, binding := range inNamespaces[namespace] {
			binding.Kind, binding.APIVersion = "RoleBinding", rbacv1.SchemeGroupVersion.String()
			all = append(all, binding)
		}
	}
	return answer{
		Roles:       all,
		ToAggregate: bootstrappolicy.ClusterRolesToAggregate(),
		ToSplit:     bootstrappolicy.ClusterRoleBindingsToSplit(),
	}
}

func sortedKeys[V any](values map[string]V) []string {
	keys := []string{}
	for key := range values {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
