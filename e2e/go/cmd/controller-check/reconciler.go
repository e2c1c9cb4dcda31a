package main

import (
	"context"
	"strconv"
	"sync/atomic"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const (
	finalizer = "everwatch.dev/controller-check"
	// generationSeen stands where an operator would write a status; a ConfigMap has none.
	generationSeen = "everwatch.dev/deployment-generation"
)

// reconciler keeps, for every ConfigMap, a Deployment of its name with data.replicas replicas.
type reconciler struct {
	client          client.Client
	started, failed atomic.Int64
}

func (r *reconciler) setUp(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).
		For(&corev1.ConfigMap{}).
		Owns(&appsv1.Deployment{}).
		Complete(r)
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	r.started.Add(1)
	owner := &corev1.ConfigMap{}
	if err := r.client.Get(ctx, request.NamespacedName, owner); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	err := r.bringAbout(ctx, owner)
	if apierrors.IsConflict(err) {
		return ctrl.Result{Requeue: true}, nil // The cache was behind; that is everyday life.
	}
	if err != nil {
		r.failed.Add(1)
	}
	return ctrl.Result{}, err
}

func (r *reconciler) bringAbout(ctx context.Context, owner *corev1.ConfigMap) error {
	if !owner.DeletionTimestamp.IsZero() {
		return r.cleanUp(ctx, owner)
	}
	if controllerutil.AddFinalizer(owner, finalizer) {
		if err := r.client.Update(ctx, owner); err != nil {
			return err
		}
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: owner.Namespace, Name: owner.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.client, deployment, func() error {
		fill(deployment, owner)
		return controllerutil.SetControllerReference(owner, deployment, r.client.Scheme())
	})
	if err != nil {
		return err
	}
	seen := strconv.FormatInt(deployment.Generation, 10)
	if owner.Annotations[generationSeen] == seen {
		return nil
	}
	before := owner.DeepCopy()
	metav1.SetMetaDataAnnotation(&owner.ObjectMeta, generationSeen, seen)
	return r.client.Patch(ctx, owner, client.MergeFrom(before))
}

// cleanUp deletes by itself what a garbage collector would, and lets the owner go.
func (r *reconciler) cleanUp(ctx context.Context, owner *corev1.ConfigMap) error {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: owner.Namespace, Name: owner.Name}}
	if err := r.client.Delete(ctx, deployment); client.IgnoreNotFound(err) != nil {
		return err
	}
	if controllerutil.RemoveFinalizer(owner, finalizer) {
		return client.IgnoreNotFound(r.client.Update(ctx, owner))
	}
	return nil
}

// fill sets what the reconciler wants and leaves alone what the server has defaulted: an operator
// that gets its own defaults back differently would write for ever.
func fill(deployment *appsv1.Deployment, owner *corev1.ConfigMap) {
	labels := map[string]string{"app": owner.Name}
	replicas, err := strconv.ParseInt(owner.Data["replicas"], 10, 32)
	if err != nil {
		replicas = 1
	}
	wanted := int32(replicas)
	deployment.Spec.Replicas = &wanted
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	deployment.Spec.Template.Labels = labels
	if len(deployment.Spec.Template.Spec.Containers) == 0 {
		deployment.Spec.Template.Spec.Containers = []corev1.Container{{}}
	}
	container := &deployment.Spec.Template.Spec.Containers[0]
	container.Name, container.Image = "main", "example/main:1"
}
