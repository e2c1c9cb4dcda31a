// rate-load asks an API server for the writes of a large cluster by client-go, in protobuf, and prints what they cost:
//
//	patches  pods of a realistic size, patched at a rate while clients watch them; the lag is what lies between the
//	         moment at which a patch is sent and that at which a watcher has decoded its event
//	leases   heartbeats of nodes: a Lease of each, updated as fast as the connections in flight allow
//	pods     pods that are created, bound to a node and given three statuses, at a rate
//
// A rate of 0 is as fast as it goes. CPU is that of the server's processes (-pids), user and system.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

var (
	server   = flag.String("server", "", "base URL of the API server")
	token    = flag.String("token", "", "bearer token")
	pids     = flag.String("pids", "", "comma-separated process ids of the server, for CPU")
	mode     = flag.String("mode", "patches", "patches, leases or pods")
	objects  = flag.Int("objects", 10_000, "pods that are patched, or nodes with a Lease")
	writers  = flag.Int("writers", 10, "clients that write, each over a connection of its own")
	flight   = flag.Int("in-flight", 4, "requests of a writer at a time")
	watchers = flag.Int("watchers", 10, "clients that watch all pods")
	rate     = flag.Int("rate", 1_000, "writes (of pods: pods) a second of all writers; 0: no limit")
	seconds  = flag.Int("seconds", 30, "how long")
)

const (
	namespace = "rates"
	sentAt    = "rates.example/sent-at"
)

// client has a connection of its own: transports are shared by equal configurations, and dialers are never equal.
func client() *kubernetes.Clientset {
	dialer := &net.Dialer{}
	config := &rest.Config{
		Host: *server, BearerToken: *token, QPS: -1, Burst: -1,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true}, Dial: dialer.DialContext,
		ContentConfig: rest.ContentConfig{
			ContentType:        "application/vnd.kubernetes.protobuf",
			AcceptContentTypes: "application/vnd.kubernetes.protobuf,application/json",
		},
	}
	made, err := kubernetes.NewForConfig(config)
	fatal(err)
	return made
}

func main() {
	flag.Parse()
	ctx := context.Background()
	setup := client()
	_, err := setup.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		fatal(err)
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	if _, err := setup.CoreV1().ServiceAccounts(namespace).Create(ctx, account, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		fatal(err)
	}
	switch *mode {
	case "patches":
		patches(ctx)
	case "leases":
		leases(ctx)
	case "pods":
		pods(ctx)
	default:
		fatal(fmt.Errorf("no mode %q", *mode))
	}
}

func patches(ctx context.Context) {
	fill(func(c *kubernetes.Clientset, at int) error {
		_, err := c.CoreV1().Pods(namespace).Create(ctx, pod(at), metav1.CreateOptions{})
		return err
	})
	var lags samples
	var ended atomic.Int64
	list, err := client().CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{Limit: 1})
	fatal(err)
	for range *watchers {
		watch, err := client().CoreV1().Pods(namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
		fatal(err)
		go func() {
			for event := range watch.ResultChan() {
				seen, isPod := event.Object.(*corev1.Pod)
				if !isPod {
					continue
				}
				if sent, err := strconv.ParseInt(seen.Annotations[sentAt], 10, 64); err == nil {
					lags.add(time.Duration(time.Now().UnixNano() - sent))
				}
			}
			ended.Add(1)
		}()
	}
	run(1, func(c *kubernetes.Clientset, at int) error {
		body := fmt.Sprintf(`{"metadata":{"annotations":{%q:"%d"}}}`, sentAt, time.Now().UnixNano())
		_, err := c.CoreV1().Pods(namespace).Patch(ctx, pod(at%*objects).Name, types.MergePatchType, []byte(body), metav1.PatchOptions{})
		return err
	}, func() map[string]any {
		time.Sleep(time.Second)
		return map[string]any{"events": lags.size(), "lag_p50_ms": lags.quantile(.5), "lag_p99_ms": lags.quantile(.99), "ended": ended.Load()}
	})
}

func leases(ctx context.Context) {
	held := make([]*coordinationv1.Lease, *objects)
	fill(func(c *kubernetes.Clientset, at int) (err error) {
		holder, wanted := fmt.Sprintf("node-%06d", at), int32(40)
		held[at], err = c.CoordinationV1().Leases(namespace).Create(ctx, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: holder},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &wanted, RenewTime: now()},
		}, metav1.CreateOptions{})
		return err
	})
	locks := make([]sync.Mutex, *objects)
	run(1, func(c *kubernetes.Clientset, at int) error {
		nth := at % *objects
		locks[nth].Lock()
		defer locks[nth].Unlock()
		held[nth].Spec.RenewTime = now()
		answer, err := c.CoordinationV1().Leases(namespace).Update(ctx, held[nth], metav1.UpdateOptions{})
		if err == nil {
			held[nth] = answer
		}
		return err
	}, nil)
}

// pods counts a pod as five writes.
func pods(ctx context.Context) {
	run(5, func(c *kubernetes.Clientset, at int) error {
		of := c.CoreV1().Pods(namespace)
		made, err := of.Create(ctx, pod(at), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: made.Name}, Target: corev1.ObjectReference{Kind: "Node", Name: "node-000001"}}
		if err := of.Bind(ctx, binding, metav1.CreateOptions{}); err != nil {
			return err
		}
		for _, status := range statuses {
			if _, err := of.Patch(ctx, made.Name, types.StrategicMergePatchType, []byte(status), metav1.PatchOptions{}, "status"); err != nil {
				return err
			}
		}
		return nil
	}, nil)
}

// What a kubelet says of a pod until it is ready.
var statuses = []string{
	`{"status":{"phase":"Pending","startTime":"2026-01-01T00:00:00Z","conditions":[{"type":"PodScheduled","status":"True"},{"type":"Initialized","status":"True"}]}}`,
	`{"status":{"phase":"Running","hostIP":"192.0.2.1","podIP":"198.51.100.7","podIPs":[{"ip":"198.51.100.7"}],"containerStatuses":[{"name":"main","image":"example.com/main:1","imageID":"example.com/main@sha256:0","ready":false,"restartCount":0,"started":true,"state":{"running":{"startedAt":"2026-01-01T00:00:01Z"}}}]}}`,
	`{"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"ContainersReady","status":"True"}],"containerStatuses":[{"name":"main","image":"example.com/main:1","imageID":"example.com/main@sha256:0","ready":true,"restartCount":0,"started":true,"state":{"running":{"startedAt":"2026-01-01T00:00:01Z"}}}]}}`,
}

func pod(at int) *corev1.Pod {
	env := []corev1.EnvVar{}
	for nth := range 20 {
		env = append(env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%02d", nth), Value: strings.Repeat("v", 40)})
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:        fmt.Sprintf("pod-%07d", at),
			Labels:      map[string]string{"app": "web", "pod-template-hash": "5d4f8c7b9", "shard": strconv.Itoa(at % 10)},
			Annotations: map[string]string{"example.com/checksum": strings.Repeat("c", 64)},
		},
		Spec: corev1.PodSpec{
			ServiceAccountName: "default",
			Containers: []corev1.Container{{
				Name: "main", Image: "example.com/main:1", Env: env,
				Ports:     []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")}},
				ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
					TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(8080)},
				}},
				VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/etc/main"}},
			}},
			Volumes: []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{
				ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "main"}},
			}}},
			Tolerations: []corev1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute"}},
		},
	}
}

// fill makes all objects, with every writer.
func fill(make func(*kubernetes.Clientset, int) error) {
	var over sync.WaitGroup
	for nth := range *writers {
		over.Go(func() {
			c := client()
			for at := nth; at < *objects; at += *writers {
				if err := make(c, at); !apierrors.IsAlreadyExists(err) {
					fatal(err)
				}
			}
		})
	}
	over.Wait()
}

// run writes until the time is over and reports it. A write that would be late by more than a second is left out.
func run(writesEach int, write func(*kubernetes.Clientset, int) error, more func() map[string]any) {
	var next, failed atomic.Int64
	var taken samples
	var over sync.WaitGroup
	usedBefore, from := cpu(), time.Now()
	end := from.Add(time.Duration(*seconds) * time.Second)
	for range *writers {
		c := client()
		for range *flight {
			over.Go(func() {
				for {
					at := int(next.Add(1)) - 1
					if *rate > 0 {
						due := from.Add(time.Duration(at) * time.Second / time.Duration(*rate))
						time.Sleep(time.Until(due))
					}
					sent := time.Now()
					if sent.After(end) {
						return
					}
					if err := write(c, at); err != nil {
						if failed.Add(1) == 1 {
							fmt.Fprintln(os.Stderr, "the first failure:", err)
						}
						continue
					}
					taken.add(time.Since(sent))
				}
			})
		}
	}
	over.Wait()
	wall, used := time.Since(from), cpu()-usedBefore
	writes := taken.size() * writesEach
	told := map[string]any{
		"mode": *mode, "writes": writes, "writes_per_s": int(float64(writes) / wall.Seconds()), "failed": failed.Load(),
		"p50_ms": taken.quantile(.5), "p99_ms": taken.quantile(.99), "server_cpu_us_per_write": int(used.Microseconds()) / max(writes, 1),
	}
	if more != nil {
		for key, value := range more() {
			told[key] = value
		}
	}
	line, err := json.Marshal(told)
	fatal(err)
	fmt.Println(string(line))
}

// samples of durations, of all goroutines.
type samples struct {
	lock sync.Mutex
	all  []time.Duration
}

func (s *samples) add(one time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.all = append(s.all, one)
}

func (s *samples) size() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return len(s.all)
}

// quantile is in milliseconds.
func (s *samples) quantile(q float64) float64 {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.all) == 0 {
		return 0
	}
	slices.Sort(s.all)
	return float64(s.all[min(len(s.all)-1, int(q*float64(len(s.all))))].Microseconds()) / 1000
}

// cpu is what the server's processes have used: Linux counts in hundredths of a second.
func cpu() (total time.Duration) {
	for _, pid := range strings.Split(*pids, ",") {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		total += time.Duration(user+system) * 10 * time.Millisecond
	}
	return total
}

func now() *metav1.MicroTime {
	at := metav1.NowMicro()
	return &at
}

func fatal(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
