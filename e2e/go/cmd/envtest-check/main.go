// envtest-check does what the tests of an operator do: it installs definitions with envtest, runs a
// manager whose reconciler watches objects of them, lets it write status and children by
// server-side apply, and uninstalls the definitions.
//
// It reads KUBECONFIG, prints one line of JSON on standard output and exits with 1 when anything
// was not as it must be.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	metav1apply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var shelf = schema.GroupVersionKind{Group: "library.example.com", Version: "v1", Kind: "Shelf"}

func main() {
	ctrl.SetLogger(klog.Background())
	failures := []string{}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	if err := check(ctx); err != nil {
		failures = append(failures, err.Error())
	}
	cancel()
	line, err := json.Marshal(map[string]any{"failures": failures})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
	if len(failures) > 0 {
		os.Exit(1)
	}
}

// definition has a status and a rule, as most have.
func definition() *apiextensionsv1.CustomResourceDefinition {
	integer := apiextensionsv1.JSONSchemaProps{Type: "integer"}
	spec := apiextensionsv1.JSONSchemaProps{
		Type:       "object",
		Required:   []string{"books"},
		Properties: map[string]apiextensionsv1.JSONSchemaProps{"books": integer, "size": integer},
		XValidations: apiextensionsv1.ValidationRules{
			{Rule: "!has(self.size) || self.books <= self.size", Message: "the shelf is too small"},
		},
	}
	status := apiextensionsv1.JSONSchemaProps{
		Type:       "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{"shown": integer},
	}
	root := apiextensionsv1.JSONSchemaProps{
		Type:       "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec, "status": status},
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "shelves." + shelf.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: shelf.Group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "shelves", Kind: shelf.Kind},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name:         shelf.Version,
				Served:       true,
				Storage:      true,
				Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			}},
		},
	}
}

func check(ctx context.Context) error {
	restConfig, err := config.GetConfig()
	if err != nil {
		return err
	}
	options := envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition()}}
	if _, err := envtest.InstallCRDs(restConfig, options); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	manager, err := ctrl.NewManager(restConfig, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return fmt.Errorf("manager: %w", err)
	}
	reconciler := &shelves{client: manager.GetClient()}
	if err := ctrl.NewControllerManagedBy(manager).For(newShelf("")).Owns(&corev1.ConfigMap{}).Complete(reconciler); err != nil {
		return fmt.Errorf("controller: %w", err)
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(running) }()
	err = exercise(ctx, restConfigClient(manager))
	stop()
	if ending := <-ended; ending != nil {
		err = errors.Join(err, fmt.Errorf("the manager ended: %w", ending))
	}
	if err != nil {
		return err
	}
	if err := envtest.UninstallCRDs(restConfig, options); err != nil {
		return fmt.Errorf("uninstall: %w", err)
	}
	return nil
}

// restConfigClient reads from the server, not from the manager's cache.
func restConfigClient(manager ctrl.Manager) client.Client {
	direct, err := client.New(manager.GetConfig(), client.Options{Scheme: manager.GetScheme()})
	if err != nil {
		panic(err)
	}
	return direct
}

func newShelf(name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(shelf)
	object.SetName(name)
	object.SetNamespace("default")
	return object
}

func exercise(ctx context.Context, direct client.Client) error {
	bad := newShelf("bad")
	bad.Object["spec"] = map[string]any{"books": int64(3), "size": int64(2)}
	if err := direct.Create(ctx, bad); !apierrors.IsInvalid(err) {
		return fmt.Errorf("a shelf that is too small: %w", err)
	}
	object := newShelf("one")
	outcome, err := controllerutil.CreateOrUpdate(ctx, direct, object, func() error {
		return unstructured.SetNestedField(object.Object, int64(3), "spec", "books")
	})
	if err != nil || outcome != controllerutil.OperationResultCreated {
		return fmt.Errorf("create or update: %s %w", outcome, err)
	}
	if err := shows(ctx, direct, 3); err != nil {
		return err
	}
	patched := object.DeepCopy()
	if err := unstructured.SetNestedField(patched.Object, int64(4), "spec", "books"); err != nil {
		return err
	}
	if err := direct.Patch(ctx, patched, client.MergeFrom(object)); err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	if generation := patched.GetGeneration(); generation != 2 {
		return fmt.Errorf("generation %d after one change of the spec", generation)
	}
	return shows(ctx, direct, 4)
}

// shows waits until the status and the child say so.
func shows(ctx context.Context, direct client.Client, books int64) error {
	for {
		object := newShelf("one")
		if err := direct.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		shown, _, _ := unstructured.NestedInt64(object.Object, "status", "shown")
		child := &corev1.ConfigMap{}
		err := direct.Get(ctx, client.ObjectKeyFromObject(object), child)
		if shown == books && err == nil && child.Data["books"] == fmt.Sprint(books) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("status %v and child %v, not %d: %w", shown, child.Data, books, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

type shelves struct{ client client.Client }

// Reconcile keeps a ConfigMap for each shelf, and says in the status what it shows.
func (s *shelves) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := newShelf("")
	if err := s.client.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	books, _, err := unstructured.NestedInt64(object.Object, "spec", "books")
	if err != nil {
		return ctrl.Result{}, err
	}
	owner := metav1.NewControllerRef(object, shelf)
	child := corev1apply.ConfigMap(request.Name, request.Namespace).
		WithData(map[string]string{"books": fmt.Sprint(books)})
	child.OwnerReferences = append(child.OwnerReferences, *ownerApply(owner))
	if err := s.client.Apply(ctx, child, client.FieldOwner("shelves"), client.ForceOwnership); err != nil {
		return ctrl.Result{}, fmt.Errorf("apply: %w", err)
	}
	if err := unstructured.SetNestedField(object.Object, books, "status", "shown"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, s.client.Status().Update(ctx, object)
}

func ownerApply(owner *metav1.OwnerReference) *metav1apply.OwnerReferenceApplyConfiguration {
	return metav1apply.OwnerReference().
		WithAPIVersion(owner.APIVersion).WithKind(owner.Kind).WithName(owner.Name).WithUID(owner.UID).
		WithController(true).WithBlockOwnerDeletion(true)
}
