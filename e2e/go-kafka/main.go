// topic-reader prints partition 0 of a Kafka topic as lines of JSON, from its beginning up to the
// end that it has when the program starts. It knows of Kafka only, and nothing of what the records
// mean.
//
//	topic-reader HOST:PORT[,HOST:PORT...] TOPIC
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const timeout = 60 * time.Second

// record is what one line says. Bytes are given as base64, so that none of them is lost.
type record struct {
	Offset    int64    `json:"offset"`
	Timestamp int64    `json:"timestamp"`
	Key       []byte   `json:"key"`
	Value     []byte   `json:"value"`
	Headers   []header `json:"headers"`
}

type header struct {
	Key   string `json:"key"`
	Value []byte `json:"value"`
}

func main() {
	if err := read(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: topic-reader HOST:PORT[,HOST:PORT...] TOPIC")
	}
	brokers, topic := strings.Split(args[0], ","), args[1]
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().AtStart()}}),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	end, err := endOf(ctx, client, topic)
	if err != nil {
		return err
	}
	return printUpTo(ctx, client, end)
}

func endOf(ctx context.Context, client *kgo.Client, topic string) (int64, error) {
	partition := kmsg.NewListOffsetsRequestTopicPartition()
	partition.Timestamp = -1 // The offset behind the last record.
	asked := kmsg.NewListOffsetsRequestTopic()
	asked.Topic = topic
	asked.Partitions = append(asked.Partitions, partition)
	request := kmsg.NewPtrListOffsetsRequest()
	request.ReplicaID = -1
	request.Topics = append(request.Topics, asked)
	response, err := request.RequestWith(ctx, client)
	if err != nil {
		return 0, err
	}
	if len(response.Topics) != 1 || len(response.Topics[0].Partitions) != 1 {
		return 0, fmt.Errorf("no answer about the end of %s", topic)
	}
	found := response.Topics[0].Partitions[0]
	if found.ErrorCode != 0 {
		return 0, fmt.Errorf("the end of %s: error %d", topic, found.ErrorCode)
	}
	return found.Offset, nil
}

func printUpTo(ctx context.Context, client *kgo.Client, end int64) error {
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for next := int64(0); next < end; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		for _, found := range fetches.Records() {
			if found.Offset >= end {
				break
			}
			if err := encoder.Encode(lineOf(found)); err != nil {
				return err
			}
			next = found.Offset + 1
		}
	}
	return out.Flush()
}

func lineOf(found *kgo.Record) record {
	headers := make([]header, 0, len(found.Headers))
	for _, one := range found.Headers {
		headers = append(headers, header(one))
	}
	return record{found.Offset, found.Timestamp.UnixMilli(), found.Key, found.Value, headers}
}
