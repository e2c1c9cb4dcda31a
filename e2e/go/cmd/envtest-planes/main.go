// envtest-planes does what several suites do that are run beside each other, with the package everwatchtest: each
// starts a control plane from KUBEBUILDER_ASSETS with a definition, plays tests that leave objects behind while a
// cache looks on, and resets the plane after each.
//
// It prints one line of JSON: what went wrong, and how long starts, resets and stops took in milliseconds. The
// environment variable STARTS says how many control planes with nothing in them are started and stopped before, one
// after the other, PLANES how many there are at once, TESTS how many tests each plays, FAILS the name of one more,
// which fails, and HOLD for how many seconds all of them stay before they stop.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"everwatch.dev/e2e/everwatchtest"
)

type outcome struct {
	lock     sync.Mutex
	Failures []string  `json:"failures"`
	EmptyMs  []float64 `json:"emptyMs"`
	StartMs  []float64 `json:"startMs"`
	ResetMs  []float64 `json:"resetMs"`
	StopMs   []float64 `json:"stopMs"`
	// What the test that fails logged.
	Logged []string `json:"logged"`
}

var crate = schema.GroupVersionKind{Group: "store.example.com", Version: "v1", Kind: "Crate"}

func main() {
	ctrl.SetLogger(klog.Background())
	told := &outcome{Failures: []string{}}
	for range numberOf("STARTS", 0) {
		if err := told.empty(); err != nil {
			told.Failures = append(told.Failures, err.Error())
		}
	}
	var started, played sync.WaitGroup
	count := numberOf("PLANES", 1)
	started.Add(count)
	for range count {
		played.Add(1)
		go func() {
			defer played.Done()
			if err := told.suite(&started); err != nil {
				told.lock.Lock()
				told.Failures = append(told.Failures, err.Error())
				told.lock.Unlock()
			}
		}()
	}
	played.Wait()
	line, err := json.Marshal(told)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
	if len(told.Failures) > 0 {
		os.Exit(1)
	}
}

func numberOf(name string, byDefault int) int {
	number, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		return byDefault
	}
	return number
}

func (o *outcome) took(times *[]float64, run func() error) error {
	began := time.Now()
	err := run()
	o.lock.Lock()
	defer o.lock.Unlock()
	*times = append(*times, float64(time.Since(began).Microseconds())/1000)
	return err
}

func (o *outcome) suite(started *sync.WaitGroup) (failure error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var plane *everwatchtest.Plane
	environment := &envtest.Environment{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition()}}
	err := o.took(&o.StartMs, func() (err error) {
		plane, err = everwatchtest.Start(environment)
		return err
	})
	started.Done()
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	defer func() {
		if err := o.took(&o.StopMs, plane.Stop); err != nil && failure == nil {
			failure = fmt.Errorf("stop: %w", err)
		}
	}()
	direct, err := client.New(plane.Config, client.Options{})
	if err != nil {
		return err
	}
	seen, err := cache.New(plane.Config, cache.Options{})
	if err != nil {
		return err
	}
	go func() { _ = seen.Start(ctx) }()
	for range numberOf("TESTS", 1) {
		if err := o.test(ctx, plane, direct, seen); err != nil {
			return err
		}
	}
	if name := os.Getenv("FAILS"); name != "" {
		if err := o.fail(ctx, plane, direct, name); err != nil {
			return err
		}
	}
	started.Wait()
	time.Sleep(time.Duration(numberOf("HOLD", 0)) * time.Second)
	return nil
}

// empty starts a control plane in which nothing is installed, and asks it something.
func (o *outcome) empty() error {
	var plane *everwatchtest.Plane
	err := o.took(&o.EmptyMs, func() (err error) {
		plane, err = everwatchtest.Start(&envtest.Environment{})
		return err
	})
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	user, err := plane.Environment.AddUser(envtest.User{Name: "jane"}, nil)
	if err == nil {
		var jane client.Client
		if jane, err = client.New(user.Config(), client.Options{}); err == nil {
			err = jane.List(context.Background(), &corev1.SecretList{})
		}
	}
	if !apierrors.IsForbidden(err) {
		return errors.Join(fmt.Errorf("a user without rights was answered: %w", err), plane.Stop())
	}
	// A suite works for a while.
	time.Sleep(time.Duration(numberOf("REST_MS", 0)) * time.Millisecond)
	return o.took(&o.StopMs, plane.Stop)
}

func definition() *apiextensionsv1.CustomResourceDefinition {
	keepsAll := true
	open := &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
		Type: "object", XPreserveUnknownFields: &keepsAll,
	}}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "crates.store.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: crate.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "crates", Kind: crate.Kind},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
				{Name: crate.Version, Served: true, Storage: true, Schema: open},
			},
		},
	}
}

// test leaves objects behind, with the same names each time, so that it passes only where the one before was undone.
func (o *outcome) test(ctx context.Context, plane *everwatchtest.Plane, direct client.Client, seen cache.Cache) error {
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "of-a-test"}}
	if err := direct.Create(ctx, space); err != nil {
		return err
	}
	held := &unstructured.Unstructured{}
	held.SetGroupVersionKind(crate)
	held.SetName("one")
	held.SetNamespace(space.Name)
	held.SetFinalizers([]string{"store.example.com/held"})
	if err := direct.Create(ctx, held); err != nil {
		return err
	}
	for at := range 20 {
		name := fmt.Sprintf("map-%d", at)
		made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: space.Name}}
		if err := direct.Create(ctx, made); err != nil {
			return err
		}
	}
	if err := untilSeen(ctx, seen, space.Name, 20); err != nil {
		return err
	}
	if err := o.took(&o.ResetMs, func() error { return plane.Reset(ctx) }); err != nil {
		return err
	}
	crates := &unstructured.UnstructuredList{}
	crates.SetGroupVersionKind(crate)
	if err := direct.List(ctx, crates); err != nil {
		return fmt.Errorf("the definition: %w", err)
	}
	if len(crates.Items) != 0 {
		return fmt.Errorf("%d crates are left", len(crates.Items))
	}
	return untilSeen(ctx, seen, space.Name, 0)
}

// failing is a test that has failed.
type failing struct {
	testing.TB
	name     string
	cleanups []func()
	logged   []string
}

func (f *failing) Helper()              {}
func (f *failing) Name() string         { return f.name }
func (f *failing) Failed() bool         { return true }
func (f *failing) Cleanup(after func()) { f.cleanups = append(f.cleanups, after) }
func (f *failing) Error(problem ...any) { f.logged = append(f.logged, fmt.Sprint(problem...)) }
func (f *failing) Logf(format string, values ...any) {
	f.logged = append(f.logged, fmt.Sprintf(format, values...))
}

func (o *outcome) fail(ctx context.Context, plane *everwatchtest.Plane, direct client.Client, name string) error {
	test := &failing{name: name}
	plane.Test(test)
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "of-a-failed-test", Namespace: "default"}}
	if err := direct.Create(ctx, made); err != nil {
		return err
	}
	for _, cleanup := range test.cleanups {
		cleanup()
	}
	o.lock.Lock()
	defer o.lock.Unlock()
	o.Logged = test.logged
	return nil
}

// untilSeen waits until the cache, which goes on across resets, has so many.
func untilSeen(ctx context.Context, seen cache.Cache, namespace string, count int) error {
	for {
		maps := &corev1.ConfigMapList{}
		if err := seen.List(ctx, maps, client.InNamespace(namespace)); err != nil {
			return err
		}
		if len(maps.Items) == count {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the cache has %d, not %d: %w", len(maps.Items), count, ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
}
