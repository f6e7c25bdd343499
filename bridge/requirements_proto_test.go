package bridge_test

// noteProto has one method for each thing that the protocol has a page for.
const noteProto = `syntax = "proto3";
package note.v1;

import "bridge/v1/annotations.proto";
import "bridge/v1/content.proto";
import "google/api/field_behavior.proto";
import "google/protobuf/wrappers.proto";

service NoteService {
  // Says a text again.
  rpc Echo(EchoRequest) returns (EchoReply);
  // Waits until it is cancelled.
  rpc Wait(EchoRequest) returns (EchoReply);
  // Fails.
  rpc Fail(EchoRequest) returns (EchoReply);
  // Answers with a text that is no object.
  rpc Word(EchoRequest) returns (google.protobuf.StringValue);
  // Answers with content of each kind.
  rpc Show(EchoRequest) returns (ShowReply);
  // Needs a client with a model.
  rpc Think(EchoRequest) returns (EchoReply) {
    option (bridge.v1.method) = {required_capabilities: "sampling"};
  }
  // Is routed by region.
  rpc Route(RouteRequest) returns (EchoReply);
  // Reads notes.
  rpc GetNote(GetNoteRequest) returns (EchoReply) {
    option (bridge.v1.method) = {
      resources: {uri: "note://welcome", name: "welcome", mime_type: "application/json", watch: "WatchNote"}
      resources: {uri_template: "note://notes/{id}", name: "note", watch: "WatchNote"}
    };
  }
  // Reads pictures.
  rpc GetPicture(EchoRequest) returns (PictureReply) {
    option (bridge.v1.method) = {resources: {uri: "note://picture", name: "picture", mime_type: "image/png"}};
  }
  // Sends a message for each change of a note.
  rpc WatchNote(GetNoteRequest) returns (stream EchoReply);
  // Greets somebody.
  rpc Greet(GreetRequest) returns (GreetReply) {
    option (bridge.v1.method) = {prompt: {name: "greet"}};
  }
}

message EchoRequest {
  // The text.
  string text = 1;
}

message EchoReply {
  // The text.
  string text = 1;
}

message ShowReply {
  repeated bridge.v1.Content blocks = 1;
}

message PictureReply {
  repeated bridge.v1.ResourceContents contents = 1;
}

message RouteRequest {
  // Where to.
  string region = 1 [(bridge.v1.field) = {header: "Region"}];
  // How often.
  int32 count = 2 [(bridge.v1.field) = {header: "Count"}];
}

message GetNoteRequest {
  // Which note; none is the welcome.
  string id = 1;
}

// How to greet.
enum Tone {
  TONE_UNSPECIFIED = 0;
  // As to a friend.
  TONE_WARM = 1;
  // As to a stranger.
  TONE_COOL = 2;
}

message GreetRequest {
  // Who is greeted.
  string name = 1 [(google.api.field_behavior) = REQUIRED];
  // How.
  Tone tone = 2;
}

message GreetReply {
  repeated bridge.v1.PromptMessage messages = 1;
}
`
