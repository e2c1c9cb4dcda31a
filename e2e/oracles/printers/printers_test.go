// Table rows as kube-apiserver prints them, for comparison in tests.
//
// Each line of standard input is one object as JSON, or a list of objects of one kind; each line of standard output that begins
// with '{' is its table (columnDefinitions and rows), or {"error": ...}. It is built with
// `go test -c` because only a test may run in a synctest bubble, where the clock stands still at
// 2000-01-01T00:00:00Z: ages are printed relative to that moment, the same on every run.
package printers

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kube-aggregator/pkg/apis/apiregistration"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	apiservice "k8s.io/kube-aggregator/pkg/registry/apiservice/etcd"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/storage"
	"k8s.io/kubernetes/pkg/printers"
	"k8s.io/kubernetes/pkg/printers/internalversion"

	// Each registers its types with legacyscheme.
	_ "k8s.io/kubernetes/pkg/apis/admission/install"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apiserverinternal/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
)

func init() {
	apiextensions.Install(legacyscheme.Scheme)
	aggregator.Install(legacyscheme.Scheme)
}

func TestPrint(t *testing.T) {
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	generator := printers.NewTableGenerator().With(internalversion.AddHandlers)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	var tables []any
	synctest.Test(t, func(*testing.T) {
		for lines.Scan() {
			tables = append(tables, tableOf(generator, lines.Bytes()))
		}
	})
	for _, table := range tables {
		_ = answers.Encode(table)
	}
}

// A printer may trip over an object that validation would have refused.
func tableOf(generator printers.TableGenerator, line []byte) (table any) {
	defer func() {
		if problem := recover(); problem != nil {
			table = map[string]string{"error": fmt.Sprint(problem)}
		}
	}()
	return generate(generator, line)
}

func generate(generator printers.TableGenerator, line []byte) any {
	versioned, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(line, nil, nil)
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	object, err := legacyscheme.Scheme.UnsafeConvertToVersion(versioned, runtime.InternalGroupVersioner)
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	table, err := convert(generator, object)
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	for i := range table.Rows {
		table.Rows[i].Object = runtime.RawExtension{}
	}
	return struct {
		ColumnDefinitions []metav1.TableColumnDefinition `json:"columnDefinitions"`
		Rows              []metav1.TableRow              `json:"rows"`
	}{table.ColumnDefinitions, table.Rows}
}

// As the storage of the object's kind does: those without a printer have the default convertor, one
// kind has it in spite of its printer, and APIServices have one of their own.
func convert(generator printers.TableGenerator, object runtime.Object) (*metav1.Table, error) {
	byDefault := rest.NewDefaultTableConvertor(schema.GroupResource{})
	switch object.(type) {
	case *storage.CSIStorageCapacity, *storage.CSIStorageCapacityList:
		return byDefault.ConvertToTable(context.Background(), object, nil)
	case *apiregistration.APIService, *apiregistration.APIServiceList:
		return (&apiservice.REST{}).ConvertToTable(context.Background(), object, nil)
	}
	table, err := generator.GenerateTable(object, printers.GenerateOptions{Wide: true})
	if err != nil && strings.HasPrefix(err.Error(), "no table handler registered") {
		return byDefault.ConvertToTable(context.Background(), object, nil)
	}
	return table, err
}
