package descriptor

import "google.golang.org/protobuf/types/descriptorpb"

// declarationWeight is what one declaration counts for in [expanded] beside its name: about what the smallest structure
// takes in memory.
const declarationWeight = 64

// expanded estimates the memory a built file takes: every declaration holds its full name, so a few deeply nested
// messages with long names can turn kilobytes into gigabytes.
func expanded(file *descriptorpb.FileDescriptorProto) int64 {
	scope := int64(len(file.GetPackage()))
	sum := enumWeight(scope, file.GetEnumType()) + messageWeight(scope, file.GetMessageType()) + nameWeight(scope, file.GetExtension())
	for _, service := range file.GetService() {
		own := scope + int64(len(service.GetName()))
		sum += own + declarationWeight + nameWeight(own, service.GetMethod())
	}
	return sum
}

func messageWeight(scope int64, messages []*descriptorpb.DescriptorProto) int64 {
	var sum int64
	for _, m := range messages {
		own := scope + int64(len(m.GetName()))
		sum += own + declarationWeight + nameWeight(own, m.GetField()) + nameWeight(own, m.GetOneofDecl()) + nameWeight(own, m.GetExtension())
		sum += enumWeight(own, m.GetEnumType()) + messageWeight(own, m.GetNestedType())
	}
	return sum
}

func enumWeight(scope int64, enums []*descriptorpb.EnumDescriptorProto) int64 {
	var sum int64
	for _, enum := range enums {
		sum += scope + int64(len(enum.GetName())) + declarationWeight + nameWeight(scope, enum.GetValue())
	}
	return sum
}

func nameWeight[D interface{ GetName() string }](scope int64, declarations []D) int64 {
	var sum int64
	for _, d := range declarations {
		sum += scope + int64(len(d.GetName())) + declarationWeight
	}
	return sum
}
